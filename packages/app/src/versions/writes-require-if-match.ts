import type { VersionChange } from "@postern/rest";
import { requireHeader } from "@postern/rest";

/** In v2, every write must say which revision it changes. In v1, the last writer wins. */
export const writesRequireIfMatch: VersionChange = {
  id: "writes-require-if-match",
  kind: "changed",
  title: "PUT, PATCH and DELETE require If-Match",
  why: "A change made from an old copy overwrites what others wrote meanwhile, and nobody notices.",
  migration: "Send the `ETag` of the row that you read as `If-Match`, or `If-Match: *` to write in any case.",
  effects: [requireHeader("if-match")],
};
