import { storable, traceIdOf } from "@postern/core/internal";
import type { Scheme } from "@postern/webhook-verifier";
import { metadataHeaders } from "./event-parts.ts";
import type { IncomingWebhook } from "./incoming-webhook.ts";
import type { Provider } from "./provider.ts";

/** Under this name the id of the key that matched is kept. No sender can set it. */
export const keyHeader = "postern-key-id";

/** How much is kept of a webhook beside its body. If a value is longer, it is left out whole, and its name is kept. */
const mostHeaders = 32;
const longestValue = 512;
const longestQuery = 4_096;
/** So many names of what was left out are kept, and so much of each. */
const mostLeftOut = 32;
const longestName = 128;

/** Never kept, whatever a scheme or a configuration names. */
const neverKept = ["authorization", "proxy-authorization", "cookie", keyHeader];

/** Which headers of a provider are kept, and which parameters of its query are not. */
interface Kept {
  readonly names: readonly string[];
  readonly prefixes: readonly string[];
  readonly secretHeaders: ReadonlySet<string>;
  readonly secretParameters: ReadonlySet<string>;
}

/** By provider: each event of a provider has the same. */
const keptOf = new WeakMap<Provider, Kept>();

const keptBy = (provider: Provider): Kept => {
  const known = keptOf.get(provider);
  if (known !== undefined) return known;
  const { scheme, credentials } = provider.verifier;
  const secrets = (kind: "header" | "query"): string[] =>
    credentials.flatMap((place) => (place.startsWith(`${kind}:`) ? [place.slice(kind.length + 1).toLowerCase()] : []));
  const secretHeaders = new Set([...secrets("header"), ...neverKept]);
  const more = [...(scheme.headers ?? []), ...(provider.headers ?? [])];
  const names = ["content-type", "user-agent", ...metadataHeaders(scheme), ...more.filter((one) => !one.endsWith("*"))];
  const kept = {
    names: [...new Set(names)].filter((name) => !secretHeaders.has(name)),
    prefixes: more.filter((one) => one.endsWith("*")).map((one) => one.slice(0, -1)),
    secretHeaders,
    secretParameters: new Set(secrets("query")),
  };
  keptOf.set(provider, kept);
  return kept;
};

/** What a sender says outside of the body, as far as it is kept with the event. */
export interface OutsideBody {
  /** Lower-case names. None of them can hold a credential. */
  readonly headers: Readonly<Record<string, string>>;
  /** The query without the `?` and without credentials; absent if there was none. */
  readonly query?: string;
  /** `header:<name>` and `query`, if they were too long or too many. Absent for nearly every event. */
  readonly leftOut?: readonly string[];
}

/** A name or value of a query as text. What is not well formed stays as it is. */
const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return text;
  }
};

/** The parameters of a query; one that comes several times has a list. */
export const parametersOf = (query: string | undefined): Readonly<Record<string, string | readonly string[]>> => {
  const found = new Map<string, string | readonly string[]>();
  for (const pair of query === undefined || query === "" ? [] : query.split("&")) {
    const border = pair.indexOf("=");
    const name = decoded(border === -1 ? pair : pair.slice(0, border));
    const value = border === -1 ? "" : decoded(pair.slice(border + 1));
    const before = found.get(name);
    found.set(name, before === undefined ? value : [...[before].flat(), value]);
  }
  return Object.fromEntries(found);
};

/** Parameters as a query again. */
export const queryText = (parameters: Readonly<Record<string, string | readonly string[]>>): string =>
  Object.entries(parameters)
    .flatMap(([name, values]) => [values].flat().map((value) => [name, value].map(encodeURIComponent).join("=")))
    .join("&");

/** The query of a URL without the parameters in which a signature or a secret can stand. */
const queryOf = (url: string, { secretParameters }: Kept): string => {
  const begin = url.indexOf("?");
  if (begin === -1) return "";
  const [query = ""] = url.slice(begin + 1).split("#", 1);
  if (secretParameters.size === 0) return query;
  const nameOf = (pair: string): string => decoded(pair.split("=", 1)[0] ?? "").toLowerCase();
  return query
    .split("&")
    .filter((pair) => !secretParameters.has(nameOf(pair)))
    .join("&");
};

/** The query of a webhook, without credentials and of any length; empty if there is none. */
export const wholeQuery = (provider: Provider, { url }: Pick<IncomingWebhook, "url">): string =>
  storable(queryOf(url, keptBy(provider)));

/** Whether the query is what the sender says in place of a body. */
export const isPayload = ({ queryIsPayload }: Scheme, { body }: Pick<IncomingWebhook, "body">): boolean =>
  queryIsPayload === true && body.length === 0;

/** What is stored with an event beside its body. */
export const outsideOf = (
  provider: Provider,
  webhook: Pick<IncomingWebhook, "url" | "headers" | "body">,
  keyId: string | undefined,
): OutsideBody => {
  const { names, prefixes, secretHeaders } = keptBy(provider);
  const given = webhook.headers;
  const headers: Record<string, string> = {};
  const leftOut: string[] = [];
  let count = 0;
  const keep = (name: string): void => {
    const value = given[name];
    if (value === undefined) return;
    const text = typeof value === "string" ? value : value.join(", ");
    if (count < mostHeaders && text.length <= longestValue) {
      count += 1;
      headers[name] = text;
    } else if (leftOut.length < mostLeftOut) leftOut.push(`header:${name.slice(0, longestName)}`);
  };
  for (const name of names) keep(name);
  if (prefixes.length > 0)
    for (const name of Object.keys(given)) {
      const isMeant = prefixes.some((prefix) => name.startsWith(prefix));
      if (isMeant && !secretHeaders.has(name) && !names.includes(name)) keep(name);
    }
  if (keyId !== undefined) headers[keyHeader] = keyId.slice(0, longestValue);
  const { traceparent } = given;
  if (traceIdOf(traceparent) !== undefined) headers.traceparent = String(traceparent);
  const query = isPayload(provider.verifier.scheme, webhook) ? "" : wholeQuery(provider, webhook);
  const isTooLong = query.length > longestQuery;
  if (isTooLong) leftOut.push("query");
  return {
    headers,
    ...(query === "" || isTooLong ? undefined : { query }),
    ...(leftOut.length === 0 ? undefined : { leftOut }),
  };
};
