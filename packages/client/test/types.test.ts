import { expectTypeOf, test } from "vitest";
import type { components as v1 } from "../src/generated/v1.ts";
import type { components as v2 } from "../src/generated/v2.ts";
import { createClient } from "../src/index.ts";

/** The compiler judges these; nothing is sent. */
const inV1 = () => createClient({ origin: "http://test", version: "v1" });
const inV2 = () => createClient({ origin: "http://test", version: "v2" });
const params = { path: { id: "me" } };

test("a row is whole where the request names no fields", () => {
  const one = () => inV2().GET("/posts/{id}", { params });
  expectTypeOf<NonNullable<Awaited<ReturnType<typeof one>>["data"]>["title"]>().toEqualTypeOf<string>();
  const old = () => inV1().GET("/posts/{id}", { params });
  expectTypeOf<NonNullable<Awaited<ReturnType<typeof old>>["data"]>["content"]>().toEqualTypeOf<string>();
  const made = () => inV2().POST("/users/{id}/posts", { params, body: { title: "T", body: "B" } });
  type Made = NonNullable<Awaited<ReturnType<typeof made>>["data"]>;
  expectTypeOf<Made>().toExtend<v2["schemas"]["post"]>();
  expectTypeOf<Made["title"]>().toEqualTypeOf<string>();
  expectTypeOf<v2["schemas"]["post_selection"]>().not.toExtend<Made>();
});

test("the rows of a list are whole where the request names no fields", () => {
  const page = () => inV2().GET("/posts", { params: { query: { limit: 2 } } });
  expectTypeOf<NonNullable<Awaited<ReturnType<typeof page>>["data"]>["data"][number]["id"]>().toEqualTypeOf<string>();
  const plain = () => inV2().GET("/posts");
  expectTypeOf<NonNullable<Awaited<ReturnType<typeof plain>>["data"]>["data"][number]["id"]>().toEqualTypeOf<string>();
  const list = () => inV1().GET("/users");
  expectTypeOf<NonNullable<Awaited<ReturnType<typeof list>>["data"]>[number]["email"]>().toEqualTypeOf<string>();
});

test("a row may lack each of its members where the request names fields", () => {
  const cut = () => inV2().GET("/posts/{id}", { params: { ...params, query: { fields: ["title"] } } });
  expectTypeOf<NonNullable<Awaited<ReturnType<typeof cut>>["data"]>["title"]>().toEqualTypeOf<string | undefined>();
  const list = () => inV1().GET("/users", { params: { query: { fields: ["name"] } } });
  expectTypeOf<NonNullable<Awaited<ReturnType<typeof list>>["data"]>[number]["name"]>().toEqualTypeOf<
    string | undefined
  >();
});

test("what is not a row stays as it is", () => {
  const signedIn = () => inV2().POST("/sessions", { body: { email: "ada@example.com", password: "p" } });
  expectTypeOf<NonNullable<Awaited<ReturnType<typeof signedIn>>["data"]>["access_token"]>().toEqualTypeOf<string>();
  expectTypeOf<v1["schemas"]["post_selection"]["title"]>().toEqualTypeOf<string | undefined>();
});
