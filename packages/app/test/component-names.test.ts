import { type App, builtInVersions, createApp } from "@postern/app";
import { DeclarationError, defineResource, type Field, ownedBy, type Resource, reference, text } from "@postern/core";
import { memoryPorts } from "@postern/core/memory";
import { describe, expect, test } from "vitest";

/** A resource with references, each written `relation: resource`. */
const declare = (
  name: string,
  relations: Readonly<Record<string, string>> = {},
  { below, plural = `${name.replaceAll("_", "-")}s` }: { readonly below?: string; readonly plural?: string } = {},
): Resource => {
  const fields: Readonly<Record<string, Field>> = {
    user_id: reference("user", { onDelete: "cascade", as: "owner", description: "Whose." }),
    title: text(20, { description: "What it is called." }),
    ...Object.fromEntries(
      Object.entries(relations).map(([relation, to]) => [
        `${relation}_id`,
        reference(to, { onDelete: "cascade", as: relation, write: "everyone", description: "Another one." }),
      ]),
    ),
  };
  return defineResource({
    name,
    plural,
    description: "Something.",
    fields,
    owner: "user_id",
    access: { read: ownedBy("user_id"), update: ownedBy("user_id"), delete: ownedBy("user_id") },
    ...(below === undefined
      ? {}
      : { parent: { resource: below, field: "parent_id", createRequires: "read" as const } }),
  });
};

const namesIn = ({ openApi }: App): readonly string[] => {
  const { components } = openApi("v2") as { readonly components: { readonly schemas: object } };
  return Object.keys(components.schemas);
};

/** Every reference leads to a component. */
const expectWhole = (document: unknown): void => {
  const text = JSON.stringify(document);
  for (const [, path = ""] of text.matchAll(/"\$ref":"#\/([^"]+)"/g)) {
    const found = path.split("/").reduce<unknown>((part, key) => Reflect.get(Object(part), key), document);
    expect(found, path).toBeDefined();
  }
};

test.each<[string, readonly Resource[]]>([
  ["two references to users", [declare("task", { editor: "user", checker: "user" })]],
  ["two references to posts", [declare("task", { draft: "post", final: "post" })]],
  ["two references to a resource of one's own", [declare("list"), declare("task", { one: "list", two: "list" })]],
  ["two references to itself", [declare("task", { before: "task", after: "task" })]],
  [
    "a parent and a second reference to it",
    [declare("list"), declare("task", { parent: "list", two: "list" }, { below: "list" })],
  ],
  [
    "references both ways",
    [
      declare("list", { first: "task", last: "task" }),
      declare("task", { parent: "list", other: "list" }, { below: "list" }),
    ],
  ],
  [
    "names that documents use",
    [declare("page"), declare("problem", { page: "page" }, { plural: "troubles" }), declare("counted_page")],
  ],
  [
    "names that are made from those of others",
    [
      declare("post_create", { post: "post" }),
      declare("post_selection", { post: "post" }),
      declare("user_with_posts", { post: "post" }),
      declare("task_with_relations", { task: "task" }),
      declare("task", { a: "a_b", b_c: "a" }),
      declare("a", { b_c: "task" }),
      declare("a_b", { c: "task" }),
    ],
  ],
  ["the words of a reference", [declare("component"), declare("schema", { component: "component" })]],
  ["a list called relations", [declare("list"), declare("relation", { parent: "list" }, { below: "list" })]],
])("%s: the documents of all versions are whole", async (_name, resources) => {
  const app = createApp({ versions: builtInVersions, ports: memoryPorts(), resources });
  await app.prepareDocuments();
  for (const { id } of app.versions) expectWhole(app.openApi(id));
});

test("both relations to one resource are in the documents, with one schema", () => {
  const app = createApp({
    versions: builtInVersions,
    ports: memoryPorts(),
    resources: [declare("task", { editor: "user", checker: "user" })],
  });
  const { components } = app.openApi("v2") as never as {
    readonly components: { readonly schemas: Record<string, { readonly properties: object }> };
  };
  expect(Object.keys(components.schemas.task_with_relations_selection?.properties ?? {})).toEqual(
    expect.arrayContaining(["owner", "editor", "checker"]),
  );
  expect(namesIn(app)).toContain("task_create");
});

describe("a declaration that would make the documents wrong stops the start", () => {
  const faultsOf = (...resources: readonly Resource[]): readonly string[] => {
    try {
      createApp({ versions: builtInVersions, ports: memoryPorts(), resources });
    } catch (thrown) {
      if (thrown instanceof DeclarationError) return thrown.faults;
      throw thrown;
    }
    return [];
  };

  test("with the name of something that is no resource", () => {
    expect(faultsOf(declare("provider"))).toEqual([
      'resource "provider": documents use the name "provider" for something else; choose another',
    ]);
  });

  test("with a relation that is no word", () => {
    expect(() => declare("task", { "a.b": "user" })).toThrow('the relation "a.b" must be snake_case');
  });
});
