import { describe, expect, test } from "vitest";
import { openApiDifferences } from "../src/changelog/openapi-difference.ts";
import { sharedParts, writtenOut } from "../src/openapi/shared-parts.ts";

const line = { type: "string", minLength: 1, maxLength: 200, pattern: "^[^\\n]*$" };

const problem = (...codes: readonly string[]) => ({
  "x-part": `400_${codes.join("_")}`,
  description: codes.join(", "),
});

const parameter = (field: string, resource: string, maxLength = 200) => ({
  "x-part": `${resource}_filter[${field}]`,
  name: `filter[${field}]`,
  in: "query",
  schema: { ...line, maxLength },
});

const operation = (operationId: string, more: object) => ({ operationId, parameters: [], responses: {}, ...more });

const members = () => ({ id: { type: "string" }, title: { ...line, description: "The headline." } });

const document = () => ({
  openapi: "3.1.1",
  paths: {
    "/a": {
      get: operation("a", { parameters: [parameter("title", "post")], responses: { 400: problem("invalid_sort") } }),
    },
    "/b": {
      get: operation("b", { parameters: [parameter("title", "post")], responses: { 400: problem("invalid_sort") } }),
    },
    "/c": { get: operation("c", { parameters: [parameter("id", "post")], responses: { 400: problem("conflict") } }) },
    "/d": {
      get: operation("d", { parameters: [parameter("id", "comment"), parameter("name", "x", 9)] }),
    },
    "/e": { get: operation("e", { responses: { 204: { description: "It is gone." } } }) },
    "/f": { get: operation("f", { responses: { 204: { description: "It is gone." } } }) },
  },
  components: {
    schemas: {
      post: { type: "object", properties: members(), "x-resource": "post", required: ["id", "title"] },
      post_selection: { type: "object", properties: members(), "x-resource": "post" },
      post_with_author: {
        type: "object",
        properties: { ...members(), author: { type: "object" } },
        "x-resource": "post",
        required: ["id", "title"],
      },
      post_create: { type: "object", properties: { title: line }, "x-resource": "post", additionalProperties: false },
    },
  },
});

type Document = ReturnType<typeof document>;

const componentsOf = (made: object) => (made as { components: Record<string, Record<string, unknown>> }).components;

const reversed = (made: Document): object => ({
  ...made,
  paths: Object.fromEntries(Object.entries(made.paths).toReversed()),
  components: { schemas: Object.fromEntries(Object.entries(made.components.schemas).toReversed()) },
});

describe("a document's shared parts", () => {
  const { parameters = {}, responses = {}, schemas = {} } = componentsOf(sharedParts(document()));

  test("are named by what they contain", () => {
    expect(Object.keys(parameters)).toEqual(["filter_id", "post_filter_title"]);
    expect(Object.keys(responses)).toEqual(["r204_it_is_gone", "r400_invalid_sort"]);
    expect(Object.keys(schemas)).toContain("text_200");
  });

  test("have the same names whatever the order of operations and schemas", () => {
    expect(JSON.stringify(componentsOf(sharedParts(reversed(document()) as never)))).toBe(
      JSON.stringify(componentsOf(sharedParts(document()))),
    );
  });

  test("say the members of a row once", () => {
    const allOf = [{ $ref: "#/components/schemas/post_selection" }];
    const properties = { id: { type: "string" } };
    expect(schemas.post).toEqual({
      type: "object",
      allOf,
      properties,
      "x-resource": "post",
      required: ["id", "title"],
    });
    expect(schemas.post_with_author).toMatchObject({ allOf, properties: { author: { type: "object" } } });
    // A body takes patterns that answers do not tell.
    expect(schemas.post_create).not.toHaveProperty("allOf");
  });

  test("are what they were when they are written out", () => {
    const unmarked = JSON.parse(JSON.stringify(document(), (key, value) => (key === "x-part" ? undefined : value)));
    const { components, ...rest } = writtenOut(sharedParts(document()));
    expect(rest).toEqual({ openapi: unmarked.openapi, paths: unmarked.paths });
    expect(components).toMatchObject({ schemas: unmarked.components.schemas });
  });

  test("tell parts of one name apart by their content", () => {
    const clashing = document();
    clashing.paths["/c"].get = operation("c", { parameters: [parameter("title", "post", 50)] });
    clashing.paths["/d"].get = operation("d", { parameters: [parameter("title", "post", 50)] });
    const names = Object.keys(componentsOf(sharedParts(clashing)).parameters ?? {});
    expect(names).toHaveLength(2);
    expect(names[0]).toBe("post_filter_title");
    expect(names[1]).toMatch(/^post_filter_title_[a-z0-9]{4,7}$/);
  });

  test("are no difference, however they are shared", () => {
    expect(openApiDifferences(document(), sharedParts(document()))).toEqual([]);
    expect(openApiDifferences(sharedParts(document()), document())).toEqual([]);
  });

  test("hide no difference", () => {
    const changed = document();
    Object.assign(changed.components.schemas.post_selection.properties, { title: { type: "integer" } });
    Object.assign(changed.components.schemas.post.properties, { title: { type: "integer" } });
    const told = openApiDifferences(sharedParts(document()), sharedParts(changed));
    expect(told.map(({ target, breaking }) => [target.name, breaking])).toEqual(
      expect.arrayContaining([
        ["post.title", true],
        ["post_selection.title", true],
      ]),
    );
  });
});

test("a name that only one of two documents gives to a schema is no difference", () => {
  const body = { type: "object", properties: { id: { type: "string" } }, required: ["id"] };
  const answer = (schema: object, schemas = {}) => ({
    paths: {
      "/a": {
        get: operation("a", { responses: { 200: { description: "", content: { "application/json": { schema } } } } }),
      },
    },
    components: { schemas },
  });
  const named = answer({ $ref: "#/components/schemas/thing" }, { thing: body });
  expect(openApiDifferences(answer(body), named)).toEqual([]);
  expect(openApiDifferences(named, answer(body))).toEqual([]);
  const other = answer({ $ref: "#/components/schemas/thing" }, { thing: { ...body, properties: {} } });
  expect(openApiDifferences(answer(body), other)).toMatchObject([{ kind: "removed", breaking: true }]);
});
