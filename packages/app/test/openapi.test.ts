import { builtInDeprecations, builtInResources, builtInVersions, createApp } from "@postern/app";
import { memoryPorts } from "@postern/core/memory";
import { differenceSteps, finish, openApiSteps, writtenOut } from "@postern/rest/internal";
import { describe, expect, test } from "vitest";
import { testApi } from "./api.ts";

const referencesIn = (value: unknown): string[] => {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    name === "$ref" && typeof member === "string" ? [member] : referencesIn(member),
  );
};

const resolve = (document: unknown, reference: string): unknown =>
  reference
    .replace(/^#\//, "")
    .split("/")
    .reduce<unknown>((value, step) => (value as Record<string, unknown> | undefined)?.[step], document);

/** A document's part in which each reference is replaced by what it leads to. */
const dereferenced = (document: unknown, part: unknown): unknown => {
  if (Array.isArray(part)) return part.map((one) => dereferenced(document, one));
  if (typeof part !== "object" || part === null) return part;
  if ("$ref" in part) return dereferenced(document, resolve(document, String(part.$ref)));
  return Object.fromEntries(Object.entries(part).map(([name, member]) => [name, dereferenced(document, member)]));
};

describe.each(["v1", "v2"])("the OpenAPI document of %s", (version) => {
  test("has the question before whatever deletes, with no names in it but those of the path", async () => {
    const { body } = await testApi().call("GET", "/openapi.json", { version });
    const asked = Object.entries<Record<string, { "x-postern-confirm"?: string }>>(body.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => ({ method, path, question: operation["x-postern-confirm"] })),
    );
    const names = (text: string) => text.match(/\{\w+\}/g) ?? [];
    expect(asked.filter(({ method, question }) => method === "delete" && question === undefined)).toEqual([]);
    expect(asked.filter(({ method, question }) => method === "get" && question !== undefined)).toEqual([]);
    for (const { path, question = "?" } of asked) {
      expect(question).toMatch(/\?/);
      expect(names(path), question).toEqual(expect.arrayContaining(names(question)));
    }
  });

  test("describes every operation of the version, and refers to nothing that is not in it", async () => {
    const { call } = testApi();
    const { body } = await call("GET", "/openapi.json", { version });
    expect(body.openapi).toBe("3.1.1");
    expect(body.servers).toMatchObject([{ url: `/api/${version}` }]);
    expect(Object.keys(body.paths)).toEqual(expect.arrayContaining(["/users", "/posts/{id}", "/webhooks/{provider}"]));
    expect(referencesIn(body).filter((reference) => resolve(body, reference) === undefined)).toEqual([]);
    const ids = Object.values<Record<string, { operationId: string }>>(body.paths).flatMap((path) =>
      Object.values(path).map(({ operationId }) => operationId),
    );
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("says at its top which paths it describes, and so does the page", async () => {
    const { call } = testApi();
    const { body } = await call("GET", "/openapi.json", { version });
    const told = `This is version ${version} of the API. All paths in this document are below \`/api/${version}\`.`;
    expect(body.info.description.startsWith(told)).toBe(true);
    expect(body.info.description).toContain("`GET /api` names it as `default`");
    expect(body.servers[0].description).toBe(`Version ${version} on this server.`);
    const { text = "" } = await call("GET", "/docs", { version });
    const [before = ""] = text.split('<h2 id="start">');
    expect(before).toContain(`are below <code>/api/${version}</code>`);
    expect(before).toContain(`https://your-server</span>/api/${version}</code>`);
  });

  test("tells lists apart between the versions", async () => {
    const { call } = testApi();
    const { body } = await call("GET", "/openapi.json", { version });
    const schema = body.paths["/users"].get.responses["200"].content["application/json"].schema;
    expect(schema.type).toBe(version === "v1" ? "array" : "object");
  });

  test("takes texts and no null in a query, each with a longest length", async () => {
    const { body } = await testApi().call("GET", "/openapi.json", { version });
    const paths: Record<string, Record<string, { operationId: string; parameters: unknown }>> = body.paths;
    const unbounded = Object.values(paths).flatMap((methods) =>
      Object.values(methods).flatMap(({ operationId, parameters }) => {
        // biome-ignore lint/suspicious/noExplicitAny: a test reads documents whose shape it asserts
        const known = dereferenced(body, parameters) as any[];
        return known
          .map(({ name, schema }) => ({ name, value: schema.items ?? schema }))
          .filter(({ value: { type, enum: values, maxLength } }) =>
            type === "string" ? values === undefined && maxLength === undefined : typeof type !== "string",
          )
          .map(({ name, value }) => `${operationId} ${name} ${JSON.stringify(value)}`);
      }),
    );
    expect(unbounded).toEqual([]);
  });

  test("gives components names that begin with a letter", async () => {
    const { body } = await testApi().call("GET", "/openapi.json", { version });
    const names = Object.values(body.components).flatMap((kind) => Object.keys(Object(kind)));
    expect(names.filter((name) => !/^[A-Za-z][\w.-]*$/.test(name))).toEqual([]);
  });

  test("says with shared parts what it says with all of them written out", () => {
    const app = createApp({ versions: builtInVersions, ports: memoryPorts() });
    const found = app.versions.find(({ id }) => id === version);
    if (found === undefined) throw new TypeError(version);
    const whole = finish(openApiSteps(found, builtInResources, builtInDeprecations));
    const shared = app.openApi(version);
    const unfolded = writtenOut(shared);
    // The names of components are beside parts that are not shared yet.
    const plain = (value: unknown) =>
      JSON.parse(JSON.stringify(value, (name, member) => (name === "x-part" ? undefined : member)));
    expect(dereferenced(unfolded, plain(unfolded.paths))).toEqual(dereferenced(whole, plain(whole.paths)));
    expect(JSON.stringify(shared)).not.toContain("x-part");
    expect(JSON.stringify(shared).length).toBeLessThan(JSON.stringify(whole).length / 2);
    const operations = Object.values(shared.paths as Record<string, object>).flatMap(Object.keys).length;
    expect(JSON.stringify(shared).length / operations, "bytes an operation").toBeLessThan(3_800);
  });

  test("names its shared parts by words, never by a digest", () => {
    const { parameters = {}, responses = {} } = createApp({ versions: builtInVersions, ports: memoryPorts() }).openApi(
      version,
    ).components as Record<string, Record<string, unknown>>;
    const names = [...Object.keys(parameters), ...Object.keys(responses)];
    expect(names).toEqual(expect.arrayContaining(["post_filter_status", "If-None-Match", "r400"]));
    expect(names.filter((name) => /_(?=[a-z]*\d)[a-z0-9]{5,7}$/.test(name))).toEqual([]);
  });
});

test("two documents are compared in steps of one operation or less", () => {
  const app = createApp({ versions: builtInVersions, ports: memoryPorts() });
  const [before, after] = [app.openApi("v1"), app.openApi("v2")].map((document) => writtenOut(document));
  const steps = differenceSteps(before ?? {}, after ?? {});
  let count = 0;
  while (steps.next().done !== true) count += 1;
  const operations = Object.values(after?.paths ?? {}).flatMap((methods) => Object.keys(methods as object));
  expect(count).toBeGreaterThan(operations.length);
});
