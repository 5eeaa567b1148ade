import { takesKey } from "../idempotency/keyed-request.ts";
import { marks } from "../json-schema/json-schema.ts";
import type { Operation } from "../operations/operation.ts";
import { when } from "./document-parts.ts";

interface HeaderFacts {
  /** The name of the component, if the header's own name is not unique. */
  readonly part?: string;
  readonly description: string;
  readonly schema: Readonly<Record<string, unknown>>;
}

const text = (maxLength: number, pattern: string, example: string) =>
  ({ type: "string", maxLength, pattern, examples: [example] }) as const;

/** Headers of answers, by their name in the document's components. */
/** The header that asks for a credential, with the realm of the product. */
export const challengeHeader = (realm: string): HeaderFacts => ({
  description: "How to authenticate (RFC 6750, section 3).",
  schema: text(512, "^Bearer", `Bearer realm="${realm}"`),
});

export const answerHeaders: Readonly<Record<string, HeaderFacts>> = {
  "X-Request-Id": {
    description: "The request's id, for the log and for support: the id that you sent, or a new one.",
    schema: text(128, "^[A-Za-z0-9._-]+$", "3f1d9a52-8c0e-4a53-9a57-0f5b7d9c2e11"),
  },
  "API-Version": { description: "The version that answered.", schema: text(8, "^v[1-9][0-9]*$", "v2") },
  ETag: {
    description: "The entity tag of this answer, for `If-Match` and `If-None-Match` (RFC 9110, section 8.8.3).",
    schema: text(128, '^"[^"]*"$', '"3.kT9x2LqQ0a_Zb1c2d3"'),
  },
  "Last-Modified": {
    description: "When the row was last changed, to the second.",
    schema: text(29, "^[A-Z][a-z]{2}, .*GMT$", "Sat, 21 Nov 2026 08:30:00 GMT"),
  },
  Location: {
    description: "The URL of the result.",
    schema: text(2048, "^/", "/api/v2/posts/019a5e2c-7d4b-7c3e-9f10-2b6f8c1d4e5a"),
  },
  Link: {
    description:
      "The first page of a list and the neighbouring pages (RFC 8288): `first`, `prev`, `next`. If the request uses something that will be removed: `deprecation` and `sunset` lead to pages that say what to do, `successor-version` to the replacement.",
    schema: text(65_536, "^<", '</api/v2/posts?limit=20>; rel="first"'),
  },
  "X-Total-Count": {
    description: "With `total=true`: how many rows the list has, with a `+` if not all of them were counted.",
    schema: text(12, "^[0-9]+\\+?$", "42"),
  },
  "Content-Location": {
    description: "The address of the user that `/users/me` stands for.",
    schema: text(2048, "^/", "/api/v2/users/019a5e2c-7d4b-7c3e-9f10-2b6f8c1d4e5a"),
  },
  "Preference-Applied": {
    description: "The preference that was honoured (RFC 7240).",
    schema: text(32, "^return=(minimal|representation)$", "return=minimal"),
  },
  "Idempotency-Replayed": {
    description:
      "Present if this request was answered before under its `Idempotency-Key`, and this is that answer again.",
    schema: { type: "string", enum: ["true"] },
  },
  "RateLimit-Policy": {
    description: "The limits that hold here: `q` requests in `w` seconds (draft-ietf-httpapi-ratelimit-headers).",
    schema: text(512, '^"[a-z-]+";q=', '"default";q=600;w=60'),
  },
  RateLimit: {
    description: "What is left of each limit: `r` requests now, all of them in `t` seconds.",
    schema: text(512, '^"[a-z-]+";r=', '"default";r=598;t=1'),
  },
  "WWW-Authenticate": challengeHeader("postern"),
  Deprecation: {
    description: "When the thing that the request uses was or will be deprecated: seconds since the epoch (RFC 9745).",
    schema: text(24, "^@-?[0-9]+$", "@1795219200"),
  },
  Sunset: {
    description: "The time from which the thing that the request uses may be removed (RFC 8594).",
    schema: text(29, "^[A-Z][a-z]{2}, .*GMT$", "Tue, 30 Nov 2027 00:00:00 GMT"),
  },
  "Retry-After": {
    description: "How many seconds to wait before you try again.",
    schema: { type: "integer", format: "int32", minimum: 0, maximum: 86_400, examples: [1] },
  },
};

/** Whether the answer is server-sent events, which have no tag. */
const isStream = ({ success }: Operation): boolean => success.contentType === "text/event-stream";

/** Whether a tag makes the answer conditional. Some senders deliver webhooks by GET, which reads nothing. */
export const isTaggedRead = (operation: Operation): boolean =>
  operation.method === "GET" && operation.body !== "raw" && !isStream(operation);

const isJson = ({ success }: Operation): boolean => success.body !== undefined && success.contentType === undefined;

/**
 * Names of the headers that a success can have. `bare`: a list as a plain array, with no room for
 * other members.
 */
export const successHeaders = (operation: Operation, bare: boolean): readonly string[] => {
  const { method, path, success, list, minimal, own } = operation;
  const isTagged =
    isTaggedRead(operation) || (isJson(operation) && honoursIfMatch(operation)) || own?.showsRow === true;
  const isNew = method === "POST" && success.status === 201 && own === undefined;
  return [
    "X-Request-Id",
    "API-Version",
    ...limitHeaders(operation),
    ...when(takesKey(operation), "Idempotency-Replayed"),
    ...when(minimal === true, "Preference-Applied"),
    ...when(path.startsWith("/users/{id}"), "Content-Location"),
    ...when(isTagged || isNew, "ETag", "Last-Modified"),
    ...when(isNew || success.located === true, "Location"),
    ...when(list === true, "Link"),
    ...when(list === true && bare, "X-Total-Count"),
  ];
};

/** Names of the headers of a 304: those of the full answer, except headers about the body. */
export const notModifiedHeaders = (operation: Operation): readonly string[] =>
  successHeaders(operation, false).filter((name) => name !== "Link");

/** Webhooks are not limited by address. */
const limitHeaders = ({ body }: Operation): readonly string[] => when(body !== "raw", "RateLimit", "RateLimit-Policy");

/** Names of the headers of every answer to a request that uses something deprecated. */
export const noticeHeaders: readonly string[] = ["Deprecation", "Sunset", "Link"];

/**
 * Names of the headers of the answer to a request that uses something removed, for good or for a
 * while.
 */
export const goneHeaders: readonly string[] = [
  "X-Request-Id",
  "RateLimit",
  "RateLimit-Policy",
  "Retry-After",
  ...noticeHeaders,
];

/** Names of the headers that an error of this status can have. */
export const errorHeaders = (operation: Operation | undefined, status: number): readonly string[] => [
  "X-Request-Id",
  ...(operation === undefined ? [] : limitHeaders(operation)),
  ...when(status === 409 && operation !== undefined && takesKey(operation), "Idempotency-Replayed", "Retry-After"),
  ...when(status === 401 || (status === 403 && operation?.scope !== undefined), "WWW-Authenticate"),
  ...when(status === 429 || status === 503, "Retry-After"),
];

const honoursIfMatch = ({ errors }: Operation): boolean => errors?.includes("precondition_failed") === true;

const requestHeader = (name: string, required: boolean, { description, schema, part }: HeaderFacts) => ({
  ...(part === undefined ? {} : { [marks.part]: part }),
  name,
  in: "header",
  ...(required ? { required } : {}),
  description,
  schema,
});

const tags = text(4096, '^(\\*|(W/)?"[!#-~]*"(, (W/)?"[!#-~]*")*)$', '"3.kT9x2LqQ0a_Zb1c2d3"');

/** The request parameters that are headers. */
export const requestHeaders = (operation: Operation): readonly unknown[] => {
  const { requiresIfMatch, creates, minimal } = operation;
  const needsMatch = requiresIfMatch === true && creates === undefined;
  return [
    ...when(
      honoursIfMatch(operation),
      requestHeader("If-Match", needsMatch, {
        ...(needsMatch ? { part: "If-Match_required" } : {}),
        description:
          "The `ETag` of the row that you read: the write happens only if the row has not changed since. `*` writes in any case.",
        schema: tags,
      }),
    ),
    ...when(
      creates !== undefined,
      requestHeader("If-None-Match", false, {
        part: "If-None-Match_create",
        description: "`*` creates the row: 201 if it did not exist, 412 if it does. It replaces `If-Match`.",
        schema: text(1, "^\\*$", "*"),
      }),
    ),
    ...when(
      isStream(operation),
      requestHeader("Last-Event-ID", false, {
        description: "The `id` of the last event that you have: the answer goes on behind it.",
        schema: text(32, "^[0-9]{1,15}(-[0-9]{1,15})?$", "5120-2051"),
      }),
    ),
    ...when(
      isTaggedRead(operation),
      requestHeader("If-None-Match", false, {
        description: "The `ETag` of the answer that you have: 304 if it has not changed.",
        schema: tags,
      }),
    ),
    ...when(
      takesKey(operation),
      requestHeader("Idempotency-Key", false, {
        description:
          "A text of your own, such as a UUID. If you send a request with it again within 24 hours, the request takes effect only once and gets the same answer.",
        schema: text(
          255,
          '^("([ !#-\\[\\]-~]|\\\\["\\\\]){1,}"|[!#-+\\--:<-\\[\\]-~]+)$',
          '"8e03978e-40d5-43dd-bc93-6894a57f9324"',
        ),
      }),
    ),
    ...when(
      minimal === true,
      requestHeader("Prefer", false, {
        description: "`return=minimal` asks for 204 without the row (RFC 7240).",
        schema: text(255, "^[ -~]*$", "return=minimal"),
      }),
    ),
  ];
};
