import { expect, test } from "vitest";
import { openApiDifferences } from "../src/changelog/openapi-difference.ts";

const documentWith = (security: unknown) => ({
  paths: { "/posts": { get: { operationId: "posts.list", security, responses: {} } } },
});

test.each([
  ["the first scope", [{ bearer: [] }], [{ bearer: ["posts:read"] }], false],
  ["another scope", [{ bearer: ["posts:read"] }], [{ bearer: ["posts:list"] }], true],
  ["one scope more", [{ bearer: ["a:read"] }], [{ bearer: ["a:read", "b:read"] }], true],
  ["no scope any more", [{ bearer: ["a:read"] }], [{ bearer: [] }], false],
  ["another scheme", [{ bearer: [] }], [{ basic: [] }], true],
  ["another scheme beside it", [{ bearer: [] }], [{ bearer: [] }, { basic: [] }], false],
  ["a credential where none was needed", [{}], [{ bearer: [] }], true],
  ["none any more", [{ bearer: [] }], [{}, { bearer: [] }], false],
])("callers notice of the credentials an operation takes: %s", (_what, older, newer, breaking) => {
  const differences = openApiDifferences(documentWith(older), documentWith(newer));
  expect(differences.map(({ what, breaking: told }) => [what, told])).toEqual([["security", breaking]]);
});
