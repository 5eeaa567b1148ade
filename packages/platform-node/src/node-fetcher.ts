import { lookup as systemLookup } from "node:dns";
import { type ClientRequest, type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { AppError } from "@postern/core";
import type { Fetcher, InboundResponse, OutboundRequest } from "@postern/core/ports";
import { blockedAddresses, isPublicAddress } from "./public-address.ts";

export interface NodeFetcherOptions {
  /** How names become addresses. Default: the system's resolver. */
  readonly lookup?: LookupFunction;
  /**
   * Addresses and ranges that are never called (`192.0.2.7`, `192.0.2.0/24`, `2001:db8::/32`), even
   * where private addresses are allowed. Those of cloud metadata services are never called.
   */
  readonly blockAddresses?: readonly string[];
}

const defaultMaxResponseBytes = 64 * 1024;

const unreachable = (cause: unknown): AppError => new AppError("upstream_unreachable", { cause });

/** Says that Postern refused the address, and not the network: you need this to correct the URL. */
const notPublic = (host: string): AppError =>
  new AppError("upstream_unreachable", {
    detail: `${host} is not a public address, and only public addresses are called.`,
  });

/** An operator has blocked these addresses. `allowPrivate` in a request does not change that. */
const blocked = (host: string): AppError =>
  new AppError("upstream_unreachable", { detail: `${host} is an address that must not be called.` });

/** Why an address is not called; `undefined` if it may be called. */
type RefusalOf = (address: string, host: string) => AppError | undefined;

/**
 * Looks a name up and refuses it when any of its addresses is refused. The connection is made to
 * the very addresses that were checked.
 */
const guardedLookup =
  (lookup: LookupFunction, refusalOf: RefusalOf): LookupFunction =>
  (hostname, options, callback) => {
    lookup(hostname, options, (error, found, family) => {
      if (error !== null) return callback(error, found, family);
      const addresses = typeof found === "string" ? [found] : found.map(({ address }) => address);
      const refusal =
        addresses.length === 0
          ? notPublic(hostname)
          : addresses.map((address) => refusalOf(address, hostname)).find((fault) => fault !== undefined);
      callback(refusal ?? null, found, family);
    });
  };

/** @throws AppError `upstream_unreachable` for a URL that is not to be called. */
const checkedUrl = (text: string, refusalOf: RefusalOf): URL => {
  if (!URL.canParse(text)) throw unreachable(new Error("the URL is malformed"));
  const url = new URL(text);
  if (url.protocol !== "http:" && url.protocol !== "https:") throw unreachable(new Error("the URL is not http(s)"));
  if (url.username !== "" || url.password !== "") throw unreachable(new Error("the URL carries a credential"));
  // A literal address never reaches `lookup`. URL has brought every spelling of one (0x7f.1,
  // 2130706433) to the usual form.
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const refusal = isIP(host) === 0 ? undefined : refusalOf(host, host);
  if (refusal !== undefined) throw refusal;
  return url;
};

const headersOf = (message: IncomingMessage): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(message.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(", ") : (value ?? ""),
    ]),
  );

const bodyOf = async (message: IncomingMessage, limit: number): Promise<Uint8Array> => {
  const chunks: Buffer[] = [];
  let length = 0;
  // Leaving the loop destroys the message and with it the connection.
  for await (const chunk of message as AsyncIterable<Buffer> /* no encoding was set */) {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= limit) break;
  }
  return new Uint8Array(Buffer.concat(chunks).subarray(0, limit));
};

/**
 * Outbound HTTP/1.1 by `node:http` and `node:https`, one connection a request, no redirects, no
 * proxies, no content codings. Addresses are checked after the name was resolved, and the
 * connection goes to exactly these. So a name whose addresses change in between (DNS rebinding)
 * gains nothing.
 * @throws TypeError for an entry of `blockAddresses` that is neither an address nor a range.
 */
export const nodeFetcher = ({
  // Node's own declaration of `lookup` has overloads that no single signature equals; this is the
  // one `net` calls.
  lookup = systemLookup as LookupFunction,
  blockAddresses = [],
}: NodeFetcherOptions = {}): Fetcher => {
  const isBlocked = blockedAddresses(blockAddresses);
  const anywhere: RefusalOf = (address, host) => (isBlocked(address) ? blocked(host) : undefined);
  const inPublic: RefusalOf = (address, host) => (isPublicAddress(address) ? anywhere(address, host) : notPublic(host));
  const lookups = { anywhere: guardedLookup(lookup, anywhere), inPublic: guardedLookup(lookup, inPublic) };

  const start = (request: OutboundRequest): ClientRequest => {
    const { allowPrivate = false } = request;
    const url = checkedUrl(request.url, allowPrivate ? anywhere : inPublic);
    const send = url.protocol === "https:" ? requestHttps : requestHttp;
    const length = request.body === undefined ? {} : { "content-length": String(request.body.length) };
    return send(url, {
      method: request.method,
      headers: { ...request.headers, ...length },
      agent: false,
      lookup: allowPrivate ? lookups.anywhere : lookups.inPublic,
    });
  };

  return {
    fetch: (outbound) =>
      new Promise<InboundResponse>((resolve, reject) => {
        const { timeoutMs, signal, maxResponseBytes = defaultMaxResponseBytes } = outbound;
        if (signal?.aborted === true) return reject(unreachable(signal.reason));
        let request: ClientRequest;
        let answered = false;
        try {
          request = start(outbound);
        } catch (cause) {
          return reject(cause instanceof AppError ? cause : unreachable(cause));
        }
        const fail = (error: AppError): void => {
          finish();
          request.destroy();
          reject(error);
        };
        const abort = (): void => fail(unreachable(signal?.reason));
        const timer = setTimeout(
          () => fail(new AppError("upstream_timeout", { detail: `No answer within ${timeoutMs} ms.` })),
          timeoutMs,
        );
        const finish = (): void => {
          clearTimeout(timer);
          signal?.removeEventListener("abort", abort);
        };
        signal?.addEventListener("abort", abort, { once: true });
        request.on("error", (cause) => fail(cause instanceof AppError ? cause : unreachable(cause)));
        request.on("close", () => {
          if (!answered) fail(unreachable(new Error("the connection ended without an answer")));
        });
        request.on("response", (message) => {
          answered = true;
          bodyOf(message, maxResponseBytes).then(
            (body) => {
              finish();
              resolve({ status: message.statusCode ?? 0, headers: headersOf(message), body });
            },
            (cause: unknown) => fail(unreachable(cause)),
          );
        });
        request.end(outbound.body);
      }),
  };
};
