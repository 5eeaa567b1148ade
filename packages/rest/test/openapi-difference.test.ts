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

const taking = (schema: object) => ({
  paths: {
    "/a": { post: { operationId: "a", requestBody: { content: { "*/*": { schema } } }, responses: {} } },
  },
});

const answering = (schema: object) => ({
  paths: {
    "/a": { get: { operationId: "a", responses: { 200: { description: "", content: { "*/*": { schema } } } } } },
  },
});

test.each([
  ["a request takes any type", taking, { type: "string" }, { maxLength: 9 }, false],
  ["a request takes one type of any", taking, { maxLength: 9 }, { type: "string" }, true],
  ["a request takes another type", taking, { type: "string" }, { type: "integer" }, true],
  ["a request takes some forms", taking, { type: "string" }, { anyOf: [{ type: "integer" }] }, true],
  ["a request takes some values", taking, { type: "string" }, { enum: ["a"] }, true],
  ["an answer may be of any type", answering, { type: "string" }, {}, true],
  ["an answer has one type of any", answering, {}, { type: "string" }, false],
])("callers notice of a type: %s", (_what, document, older, newer, breaking) => {
  const differences = openApiDifferences(document(older), document(newer)).filter(({ what }) => what === "type");
  expect(differences.map(({ breaking: told }) => told)).toEqual([breaking]);
});
