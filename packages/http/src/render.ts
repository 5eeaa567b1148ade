import { corsHeaders } from "./cors.ts";
import type { Exchange } from "./exchange.ts";
import type { Answer } from "./http-app.ts";
import type { HttpAnswer } from "./http-request.ts";
import type { HttpSettings } from "./options.ts";

/**
 * What is known of the request an answer is for; there is no `request` where Node found it
 * malformed.
 */
export type RenderedFor = Pick<Exchange, "id" | "version" | "closes"> & Partial<Pick<Exchange, "request">>;

/** An answer that nobody has seen yet. */
export interface RenderedAnswer extends HttpAnswer {
  readonly headers: Record<string, string>;
  readonly body: string | undefined;
}

/** A year. Subdomains are not named: they may be other servers. */
const strictTransport = "max-age=31536000";

/** Statuses without a body and without a length. */
const bodiless = new Set([204, 304]);

/** The length of a text in UTF-8. Node counts without encoding. */
const utf8Length: (text: string) => number =
  typeof Buffer === "undefined" ? (text) => new TextEncoder().encode(text).length : (text) => Buffer.byteLength(text);

/**
 * Gives an answer its text and its headers; headers that the handler set stay as they are. The rest
 * tell browsers to do nothing with the answer but read it: not to guess its type, run it, frame it,
 * or tell other sites where it came from.
 * @throws TypeError for a body that is not JSON.
 */
export const render = (
  settings: HttpSettings,
  server: { readonly draining: boolean; readonly strictTransport: boolean },
  exchange: RenderedFor,
  answer: Answer,
): RenderedAnswer => {
  const body = bodiless.has(answer.status) ? undefined : textOf(answer);
  // Not by spreading, which here makes an object that is fifty times as slow to build.
  const headers: Record<string, string> = Object.assign(
    {
      "x-content-type-options": "nosniff",
      "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
      "referrer-policy": "no-referrer",
      "cache-control": "no-store",
      "x-request-id": exchange.id,
    },
    answer.headers,
  );
  if (exchange.version !== undefined) headers["api-version"] = exchange.version.id;
  if (settings.corsOrigins.size > 0) {
    headers.vary = headers.vary === undefined ? "Origin" : `${headers.vary}, Origin`;
    Object.assign(headers, corsHeaders(settings, exchange.request, headers.allow));
  }
  if (body !== undefined) {
    if (body !== "") headers["content-type"] ??= typeOf(answer);
    headers["content-length"] = String(utf8Length(body));
  }
  // A caller that is refused for the moment is told when to come back.
  if (answer.status === 503) headers["retry-after"] ??= "1";
  if (server.strictTransport) headers["strict-transport-security"] = strictTransport;
  // The rest of a body that came too slowly is not worth waiting for.
  if (server.draining || exchange.closes || answer.status === 408) headers.connection = "close";
  return { status: answer.status, headers, body };
};

const typeOf = (answer: Answer): string =>
  answer.text === undefined ? "application/json; charset=utf-8" : "text/plain; charset=utf-8";

const textOf = (answer: Answer): string => {
  if (answer.text !== undefined) return answer.text;
  return answer.body === undefined ? "" : JSON.stringify(answer.body);
};
