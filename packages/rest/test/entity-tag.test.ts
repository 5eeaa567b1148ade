import fc from "fast-check";
import { expect, test } from "vitest";
import {
  contentTag,
  type EntityTags,
  isTag,
  isTagOf,
  parseEntityTags,
  rowTag,
} from "../src/preconditions/preconditions.ts";

const rows = fc.record({
  id: fc.uuid(),
  revision: fc.integer({ min: 1, max: 1_000_000 }),
  created_at: fc.constantFrom("2026-11-22T08:00:00.000Z", "2026-11-22T08:00:00.001Z"),
});
/** What proxies and servers add. */
const marks = fc.oneof(
  fc.constantFrom("", "-br", "-gzip", "--gzip", ";gzip", ";br", ":gzip", "-zstd", "-gzip-br"),
  fc
    .tuple(fc.constantFrom("-", "--", ";", ":", "+"), fc.stringMatching(/^[a-zA-Z][a-zA-Z0-9]{0,7}$/))
    .map((parts) => parts.join("")),
);
const digests = fc.string({
  unit: fc.constantFrom(..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"),
  minLength: 22,
  maxLength: 43,
});
/** Digests that happen to end as a coding is marked. */
const misleading = fc
  .tuple(digests, fc.constantFrom("-br", "-gzip", "-zstd", "-deflate"))
  .map(([digest, end]) => digest.slice(0, 22 - end.length) + end);

const marked = (tag: string, mark: string): string => tag.replace(/"$/, `${mark}"`);

const tagsOf = (header: string): Exclude<EntityTags, "*"> => {
  const tags = parseEntityTags("If-Match", header);
  if (tags === "*") throw new TypeError(`${header} is no tag`);
  return tags;
};

test("the tag of a row is its tag in every coding, and of no other revision", () => {
  fc.assert(
    fc.property(rows, fc.string(), marks, fc.boolean(), (row, shows, mark, weak) => {
      const tag = rowTag(row, shows);
      const [read, ...more] = tagsOf(`${weak ? "W/" : ""}${marked(tag, mark)}`);
      if (read === undefined) throw new TypeError("no tag was read");
      expect(more).toEqual([]);
      expect([isTag(tag, read), isTagOf(row, read)]).toEqual([true, true]);
      const next = { ...row, revision: row.revision + 1 };
      expect([isTag(rowTag(next, shows), read), isTagOf(next, read)]).toEqual([false, false]);
    }),
  );
});

test("the tag of content is its tag in every coding, however it ends itself", () => {
  fc.assert(
    fc.property(fc.oneof(digests, misleading), marks, fc.boolean(), (digest, mark, weak) => {
      const tag = contentTag(digest);
      const [read] = tagsOf(`"other", ${weak ? "W/" : ""}${marked(tag, mark)}`).slice(1);
      if (read === undefined) throw new TypeError("no tag was read");
      expect(isTag(tag, read)).toBe(true);
      expect(isTag(contentTag(digest.replace(/^./, (first) => (first === "A" ? "B" : "A"))), read)).toBe(false);
    }),
  );
});
