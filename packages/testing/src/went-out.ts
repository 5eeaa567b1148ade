import type { MemoryPorts } from "@postern/core/memory";
import type { Alert, Mail, OutboundRequest } from "@postern/core/ports";

/** A request that Postern sent, such as a forwarded event. It reached no network. */
export interface OutboundCall extends Pick<OutboundRequest, "method" | "url"> {
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body as JSON if it is JSON, otherwise as a text. `undefined` if there is none. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads members of bodies whose shape it asserts
  readonly body: any;
}

/** What went out since the start, oldest first: at most the newest 1,000 of each. */
export interface WentOut {
  readonly mails: readonly Mail[];
  readonly requests: readonly OutboundCall[];
  readonly alerts: readonly Alert[];
}

/** A text as the value that it is in JSON, or as it is. */
// biome-ignore lint/suspicious/noExplicitAny: see above
export const readBody = (text: string): any => {
  try {
    return text === "" ? undefined : JSON.parse(text);
  } catch {
    return text;
  }
};

const callOf = ({ method, url, headers = {}, body }: OutboundRequest): OutboundCall => ({
  method,
  url,
  headers,
  body: readBody(new TextDecoder().decode(body)),
});

/** Reads what the adapters in memory have kept. */
export const wentOut = (
  mailer: MemoryPorts["mailer"],
  fetcher: { readonly requests: readonly OutboundRequest[] },
  alerts: MemoryPorts["alerts"],
): WentOut => ({ mails: [...mailer.sent], requests: fetcher.requests.map(callOf), alerts: [...alerts.raised] });
