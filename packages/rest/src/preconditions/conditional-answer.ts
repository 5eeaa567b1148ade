import type { SecretBox } from "@postern/core";
import type { Operation, OperationAnswer, RequestFacts } from "../operations/operation.ts";
import { contentTag, rowTag } from "./entity-tag.ts";
import { isFresh, lastModifiedOf, type Preconditions, requireCurrent } from "./preconditions.ts";

/** Whoever keeps a copy keeps it for one caller, and asks before using it again. The adapter adds what else its answers depend on. */
const headersOfReads = (etag: string): Record<string, string> => ({
  "cache-control": "private, no-cache",
  vary: "Authorization, X-API-Key, Accept, Accept-Encoding",
  etag,
});

/**
 * What a 304 repeats of the answer it stands for (RFC 9110, section 15.4.5), and a page's policy: a browser puts the headers of the 304 in the place of
 * those it has kept.
 */
const repeated: ReadonlySet<string> = new Set([
  "content-security-policy",
  "etag",
  "last-modified",
  "cache-control",
  "vary",
  "content-location",
]);

/** What a request says about the state of what it asks for. */
interface ConditionalRequest {
  readonly operation: Operation;
  readonly facts: RequestFacts;
  readonly preconditions: Preconditions;
}

/**
 * Gives an answer, already in its version, its entity tag; answers a GET whose caller has the same content already with 304.
 * @throws AppError `precondition_failed` for a GET of what is not as `If-Match` has it.
 */
export const conditionalAnswer = async (
  secretBox: Pick<SecretBox, "digest">,
  { operation: { method }, facts: { version }, preconditions }: ConditionalRequest,
  answer: OperationAnswer,
): Promise<OperationAnswer> => {
  const reads = method === "GET";
  const { shown } = answer;
  if (answer.status >= 300 || (!reads && shown === undefined)) return answer;

  // The bytes are needed for their digest; what is sent are the same.
  const writes = reads && (shown === undefined || shown.withOthers === true);
  const text = answer.text ?? (writes ? JSON.stringify(answer.body) : undefined);
  const digest = writes && text !== undefined ? await secretBox.digest(text) : undefined;
  const shows = digest ?? `${version.id} ${shown?.fields.join()}`;
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
