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

describe.each(["v1", "v2"])("the OpenAPI document of %s", (version) => {
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

  test("tells lists apart between the versions", async () => {
    const { call } = testApi();
    const { body } = await call("GET", "/openapi.json", { version });
    const schema = body.paths["/users"].get.responses["200"].content["application/json"].schema;
    expect(schema.type).toBe(version === "v1" ? "array" : "object");
  });
});
