import type { VersionChange } from "@postern/rest";
import { requireHeader } from "@postern/rest";

/** v2 takes no write that does not say which revision it is about; v1 takes it and the last writer wins. */
export const writesRequireIfMatch: VersionChange = {
  id: "writes-require-if-match",
  kind: "changed",
  title: "PUT, PATCH and DELETE require If-Match",
  why: "A change made from an old copy overwrites what others wrote meanwhile, and nobody notices.",
  migration: "Send the `ETag` of what you read as `If-Match`, or `If-Match: *` to write whatever is there.",
  effects: [requireHeader("if-match")],
};
