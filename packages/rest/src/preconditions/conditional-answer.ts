import type { SecretBox } from "@postern/core";
import type { Operation, OperationAnswer, RequestFacts } from "../operations/operation.ts";
import { contentTag, rowTag } from "./entity-tag.ts";
import { isFresh, lastModifiedOf, type Preconditions, requireCurrent } from "./preconditions.ts";

/**
 * A cache may keep the answer for one caller only, and must ask before it uses it again. The
 * adapter adds what else its answers depend on.
 */
const headersOfReads = (etag: string): Record<string, string> => ({
  "cache-control": "private, no-cache",
  vary: "Authorization, X-API-Key, Accept, Accept-Encoding",
  etag,
});

/**
 * The headers that a 304 repeats (RFC 9110, section 15.4.5). A page's policy is one of them: a
 * browser replaces the headers that it has kept by those of the 304.
 */
const repeated: ReadonlySet<string> = new Set([
  "content-security-policy",
  "etag",
  "last-modified",
  "cache-control",
  "vary",
  "content-location",
]);

/** The conditions of a request. */
interface ConditionalRequest {
  readonly operation: Operation;
  readonly facts: RequestFacts;
  readonly preconditions: Preconditions;
}

/** The text of an answer and its digest; neither where there is nothing to write. */
interface Written {
  readonly text: string | undefined;
  readonly digest: string | undefined;
}

/** The bodies of lasting answers. A document of a megabyte takes tens of milliseconds to write and to digest. */
const lasting = new WeakMap<object, Promise<Written>>();

const written = (
  secretBox: Pick<SecretBox, "digest">,
  { body, text, isLasting }: OperationAnswer,
): Promise<Written> => {
  const known = isLasting === true && typeof body === "object" && body !== null ? lasting.get(body) : undefined;
  if (known !== undefined) return known;
  const make = async (): Promise<Written> => {
    const whole = text ?? (body === undefined ? undefined : JSON.stringify(body));
    return { text: whole, digest: whole === undefined ? undefined : await secretBox.digest(whole) };
  };
  const made = make();
  if (isLasting === true && typeof body === "object" && body !== null) lasting.set(body, made);
  return made;
};

/**
 * Adds the entity tag to an answer that is already in its version. If the caller of a GET has the
 * same content, the answer becomes a 304.
 * @throws AppError `precondition_failed` for a GET whose `If-Match` does not fit.
 */
export const conditionalAnswer = async (
  secretBox: Pick<SecretBox, "digest">,
  { operation: { method }, facts: { version }, preconditions }: ConditionalRequest,
  answer: OperationAnswer,
): Promise<OperationAnswer> => {
  const reads = method === "GET";
  const { shown } = answer;
  if (answer.status >= 300 || (!reads && shown === undefined)) return answer;

  // The digest needs the bytes, so the same bytes are sent.
  const writes = reads && (shown === undefined || shown.withOthers === true);
  const { text, digest } = await (writes ? written(secretBox, answer) : { text: answer.text, digest: undefined });
  // Whether the row's id is repeated in the body does not matter: the tag knows the row by it.
  const others = shown?.fields.filter((name) => name !== "id") ?? [];
  const without = shown?.without === undefined ? "" : ` without ${shown.without.join()}`;
  const shows = digest ?? `${version.id} ${["id", ...others].join()}${without}`;
  const tag = shown === undefined ? contentTag(shows) : rowTag(shown.row, shows);
  const lastModified = shown === undefined || shown.withOthers === true ? undefined : lastModifiedOf(shown.row);
  if (reads) requireCurrent(preconditions, tag, shown?.row);
  const headers: Record<string, string> = reads ? headersOfReads(tag) : { etag: tag };
  if (text !== undefined) headers["content-type"] = "application/json; charset=utf-8";
  if (lastModified !== undefined) headers["last-modified"] = new Date(lastModified).toUTCString();
  Object.assign(headers, answer.headers);
  if (!reads || !isFresh(preconditions, tag, lastModified)) {
    return text === undefined ? { ...answer, headers } : { ...answer, headers, text };
  }
  return { status: 304, headers: Object.fromEntries(Object.entries(headers).filter(([name]) => repeated.has(name))) };
};
