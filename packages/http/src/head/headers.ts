import { AppError } from "@postern/core";
import { challenge } from "@postern/rest";
import type { Headers, HttpRequest } from "../http-request.ts";

type Sent = Pick<HttpRequest, "headers" | "rawHeaders">;

/**
 * How often a header was sent; `name` is in lower case. Node keeps the first of some repeated
 * headers and joins others, so this looks at what came over the wire.
 */
export const occurrences = ({ rawHeaders }: Sent, name: string): number => {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const sent = rawHeaders[index];
    if (sent?.length === name.length && (sent === name || sent.toLowerCase() === name)) count++;
  }
  return count;
};

/** One header as text; values that came as a list are joined as RFC 9110, section 5.3, says. */
export const headerOf = ({ headers }: Pick<HttpRequest, "headers">, name: string): string | undefined => {
  const value = headers[name];
  return typeof value === "object" ? value.join(", ") : value;
};

/** The announced length of the body; `undefined` when it comes in chunks or there is none. */
export const announcedLength = ({ headers }: Pick<HttpRequest, "headers">): number | undefined =>
  headers["content-length"] === undefined ? undefined : Number(headers["content-length"]);

/** Whether a body comes with the request. An announced length of 0 is none. */
export const hasBody = (request: Pick<HttpRequest, "headers">): boolean =>
  request.headers["transfer-encoding"] !== undefined || (announcedLength(request) ?? 0) > 0;

/** All headers, lower-case names; a repeated one as an array of its values. */
export const faithfulHeaders = ({ headers, rawHeaders }: Sent): Headers => {
  // Almost no request repeats a header. Without repeats the joined headers are complete, and no
  // object is built.
  let distinct = 0;
  for (const _name in headers) distinct += 1;
  return distinct * 2 === rawHeaders.length ? headers : fieldsOf(rawHeaders);
};

/** Names and values in turn as an object: lower-case names, a repeated field as an array. */
const fieldsOf = (raw: readonly string[]): Headers => {
  const distinct = new Map<string, string[]>();
  for (let index = 0; index < raw.length; index += 2) {
    const name = (raw[index] ?? "").toLowerCase();
    const value = raw[index + 1] ?? "";
    const known = distinct.get(name);
    if (known === undefined) distinct.set(name, [value]);
    else known.push(value);
  }
  return Object.fromEntries([...distinct].map(([name, values]) => [name, values.length === 1 ? values[0] : values]));
};

/** Almost no request has trailers. */
const noFields: Headers = Object.freeze({});

/** Senders sign a few, and each of those is searched for among all. */
const mostTrailers = 100;

/**
 * The trailers of a request whose body has been read, in the form of `faithfulHeaders`. They stay
 * apart from the headers, so that none can take a header's place. `undefined` if the runtime does
 * not give them.
 * @throws AppError `bad_request` for more than 100.
 */
export const faithfulTrailers = ({ body }: Pick<HttpRequest, "body">): Headers | undefined => {
  const raw = body.trailers?.();
  if (raw !== undefined && raw.length > 2 * mostTrailers)
    throw new AppError("bad_request", { detail: `Send at most ${mostTrailers} trailers.` });
  if (raw === undefined) return undefined;
  return raw.length === 0 ? noFields : fieldsOf(raw);
};

/**
 * Browsers send about ten. Reading a thousand takes milliseconds, and strangers may send such
 * requests.
 */
const mostMembers = 100;

/** Headers whose lists are read whole, with the names for answers. */
const lists = {
  accept: "Accept",
  "accept-encoding": "Accept-Encoding",
  "if-match": "If-Match",
  "if-none-match": "If-None-Match",
};

const names = Object.keys(lists) as (keyof typeof lists)[];

/**
 * Refuses a request whose headers have lists that are too long to be read.
 * @throws AppError `malformed_header`.
 */
export const checkLists = (request: Pick<HttpRequest, "headers">): void => {
  for (const name of names) {
    const value = headerOf(request, name);
    if (value === undefined || value.length <= mostMembers) continue;
    if (value.split(",", mostMembers + 1).length <= mostMembers) continue;
    const header = lists[name];
    throw new AppError("malformed_header", {
      detail: `The list in ${header} has more than ${mostMembers} members; send fewer.`,
      faults: [{ header, code: "too_many", detail: `send at most ${mostMembers} members` }],
    });
  }
};

/** The first product of `User-Agent` (RFC 9110, section 10.1.5): `curl/8.5.0`. */
export const agentOf = (request: Pick<HttpRequest, "headers">): string =>
  /^[\x21-\x7e]{1,64}/.exec(headerOf(request, "user-agent") ?? "")?.[0] ?? "";

/** RFC 6750, section 2.1. */
const bearer = /^Bearer +([A-Za-z0-9\-._~+/]+=*)$/i;

/**
 * The bearer token, or `undefined`; for a header that cannot be read the error: `multiple_credentials`,
 * `unauthenticated` (another scheme), `invalid_token` (malformed). It is read from one header only,
 * because queries end up in logs, and browsers send cookies by themselves.
 */
export const credentialOf = (request: Sent): string | AppError | undefined => {
  const header = headerOf(request, "authorization");
  if (header === undefined) return undefined;
  if (occurrences(request, "authorization") > 1) {
    return new AppError("multiple_credentials", { detail: "Send one Authorization header." });
  }
  const token = bearer.exec(header)?.[1];
  if (token !== undefined) return token;
  const ofBearer = /^Bearer\b/i.test(header);
  return new AppError(ofBearer ? "invalid_token" : "unauthenticated", {
    detail: ofBearer
      ? "The Authorization header is malformed; send `Bearer` and one token."
      : "Only the Bearer scheme is taken here: `Authorization: Bearer …`.",
    headers: challenge(ofBearer ? "invalid_token" : undefined),
  });
};
