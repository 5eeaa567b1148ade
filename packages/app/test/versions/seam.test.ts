import { builtInVersions } from "@postern/app";
import { boolean, choice, decimal, defineResource, integer, nullable, reference, text } from "@postern/core";
import {
  type Effect,
  nestField,
  removeField,
  renameEndpoint,
  renameField,
  replaceField,
  type VersionDefinition,
} from "@postern/rest";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { documentOf, testApi } from "../api.ts";
import { listed, ofUsers, place } from "./fields-of-change.ts";

const memo = defineResource({
  name: "memo",
  plural: "memos",
  description: "A memo.",
  fields: {
    user_id: reference("user", { onDelete: "cascade", as: "author", description: "Whose." }),
    left: text(20, { ...listed, default: "l", description: "One side." }),
    right: text(20, { ...listed, default: "r", description: "The other side." }),
    cents: integer({ ...listed, default: 0, description: "What it costs, in cents." }),
    level: choice(["low", "mid", "high"], { default: "low", filter: "everyone", description: "How much." }),
    done: boolean({ default: false, filter: "everyone", description: "Whether." }),
    rate: nullable(decimal({ digits: 6, decimals: 2, ...listed, description: "How good." })),
    place,
  },
  ...ofUsers,
});

const changeOf = (id: string, ...effects: readonly Effect[]) =>
  ({ id, kind: "changed", title: id, why: "Why.", migration: "How.", effects }) as const;
const v3 = (...effects: readonly Effect[]): readonly VersionDefinition[] => [
  ...builtInVersions,
  { id: "v3", released: "2026-11-22", changes: [changeOf("the-change", ...effects)] },
];
const priority = removeField({ resource: "memo", field: "priority", schema: z.enum(["low", "high"]), value: "low" });

/** Ada with memos, and calls as her in v2, the version before the change, and in v3. */
const scene = async (...effects: readonly Effect[]) => {
  const api = testApi({ resources: [memo], versions: v3(...effects) });
  const { token } = await api.user("ada");
  const inVersion =
    (version: string) =>
    (method: Parameters<typeof api.call>[0], target: string, body?: unknown, headers: Record<string, string> = {}) =>
      api.call(method, target, { token, version, headers, ...(body === undefined ? {} : { body }) });
  const make = async (values: object = {}) => (await inVersion("v3")("POST", "/users/me/memos", values)).body;
  return { ...api, v2: inVersion("v2"), v3: inVersion("v3"), make, list: "/users/me/memos" };
};

describe("a removed field in a version that still shows it", () => {
  test.each([
    ["filter[priority]=low", "filter[priority]"],
    ["filter[priority][ne]=high", "filter[priority][ne]"],
    ["sort=-priority", "sort"],
    ["sort=left,priority", "sort"],
  ])("is refused in ?%s, never left out", async (query, parameter) => {
    const { v2, make, list } = await scene(priority);
    await make();
    const { status, body } = await v2("GET", `${list}?${query}`);
    expect(status).toBe(400);
    expect(body.errors).toEqual([expect.objectContaining({ parameter })]);
    expect(body.detail).toContain("priority");
    expect(JSON.stringify(body)).not.toMatch(/undefined|\u{FFFF}/u);
  });

  test("is told in the caller's own name, also when it was called otherwise on the way", async () => {
    const versions: readonly VersionDefinition[] = [
      { id: "v1", released: "2026-01-01", changes: [] },
      {
        id: "v2",
        released: "2026-01-02",
        changes: [changeOf("one", renameField({ resource: "memo", from: "urgency", to: "priority" }))],
      },
      { id: "v3", released: "2026-01-03", changes: [changeOf("two", priority)] },
    ];
    const api = testApi({ resources: [memo], versions });
    const { token } = await api.user("ada");
    const { status, body } = await api.call("GET", "/users/me/memos?sort=urgency", { token, version: "v1" });
    expect({ status, code: body.code }).toEqual({ status: 400, code: "invalid_sort" });
    expect(body.errors[0].detail).toContain('not "urgency"');
  });

  test("is selected by fields, also in included rows", async () => {
    const { v2, make, list } = await scene(
      removeField({ resource: "user", field: "shoe", schema: z.int(), value: 9 }),
      priority,
    );
    const { id } = await make();
    const author = async (fields: string) => (await v2("GET", `/memos/${id}?include=author${fields}`)).body.author;
    expect(await author("")).toMatchObject({ shoe: 9 });
    expect(await author("&fields[users]=name")).not.toHaveProperty("shoe");
    expect(await author("&fields[users]=name,shoe")).toMatchObject({ name: "ada", shoe: 9 });
    expect((await v2("GET", `${list}?fields=left`)).body.data[0]).not.toHaveProperty("priority");
  });

  test("gives what shows it and what does not two entity tags", async () => {
    const { v2, make } = await scene(priority);
    const { id } = await make();
    const one = await v2("GET", `/memos/${id}?fields=left`);
    const other = await v2("GET", `/memos/${id}?fields=left,priority`);
    expect(one.body).not.toEqual(other.body);
    expect(one.headers.etag).not.toBe(other.headers.etag);
    expect(
      (await v2("GET", `/memos/${id}?fields=left`, undefined, { "if-none-match": one.headers.etag ?? "" })).status,
    ).toBe(304);
  });
});

describe("a write whose answer cannot be given in the older version", () => {
  const broken = replaceField({
    resource: "memo",
    from: "cents",
    to: "cents",
    schemaDown: () => ({ type: "string", maxLength: 3 }),
    down: (value) => `${String(value)} cents`,
    up: (value) => Number(value),
  });

  test("has not happened: a 500, and nothing is stored", async () => {
    const { v2, v3: newest, list } = await scene(broken);
    expect((await v2("POST", list, { cents: "7" })).status).toBe(500);
    expect((await newest("GET", list)).body.data).toEqual([]);
  });
});

describe("a row that is read in an older version and put back", () => {
  const nested = nestField({ resource: "memo", from: "city", into: "place", as: "city" });

  test("stays as it is, with what that version cannot say of it", async () => {
    const { v2, v3: newest, make } = await scene(nested);
    const { id } = await make({ place: { city: "Pisa", country: "IT" } });
    const { body: read } = await v2("GET", `/memos/${id}`);
    expect(read.city).toBe("Pisa");
    expect((await v2("PUT", `/memos/${id}`, read)).status).toBe(200);
    expect((await newest("GET", `/memos/${id}`)).body.place).toEqual({ city: "Pisa", country: "IT" });
    expect((await v2("PUT", `/memos/${id}`, { ...read, city: "Bari" })).body.city).toBe("Bari");
    expect((await newest("GET", `/memos/${id}`)).body.place).toEqual({ city: "Bari", country: "IT" });
  });

  test("keeps a null inside, and takes one by PUT and by PATCH", async () => {
    const { v2, v3: newest, make } = await scene(nested);
    const { id } = await make({ place: { city: null, country: "IT" } });
    const { body: read } = await v2("GET", `/memos/${id}`);
    expect(read.city).toBeNull();
    expect((await v2("PUT", `/memos/${id}`, read)).body.city).toBeNull();
    await v2("PATCH", `/memos/${id}`, { city: "Bari" });
    expect((await v2("PATCH", `/memos/${id}`, { city: null })).body.city).toBeNull();
    expect((await newest("GET", `/memos/${id}`)).body.place).toEqual({ city: null, country: "IT" });
  });

  test("is refused with the caller's own faults, and before anything is looked up", async () => {
    const { v2 } = await scene(nested);
    const missing = "/memos/019a0000-0000-7000-8000-000000000000";
    const { status, body } = await v2("PUT", missing, { city: 5, left: "x" });
    expect({ status, errors: body.errors }).toEqual({
      status: 400,
      errors: [expect.objectContaining({ pointer: "/city" })],
    });
    expect((await v2("PUT", missing, { city: "Bari" })).status).toBe(404);
  });
});

describe("a path that moved", () => {
  const moved = [
    renameEndpoint({ from: "/users/{id}/slips", to: "/users/{id}/memos" }),
    renameEndpoint({ from: "/slips/{id}", to: "/memos/{id}" }),
  ];

  test("is the old one in links inside answers, too, and leads there", async () => {
    const { v2, make } = await scene(...moved);
    await make();
    const { memos } = (await v2("GET", "/users/me?include=memos")).body;
    expect(memos.link).toMatch(/^\/api\/v2\/users\/[0-9a-f-]+\/slips$/);
    expect((await v2("GET", memos.link.slice("/api/v2".length))).body.data).toHaveLength(1);
  });

  test("can change places with another one", async () => {
    const {
      v2,
      v3: newest,
      make,
    } = await scene(
      renameEndpoint({ from: "/memos/{id}", to: "/posts/{id}" }),
      renameEndpoint({ from: "/posts/{id}", to: "/memos/{id}" }),
    );
    const { id } = await make();
    expect((await newest("GET", `/memos/${id}`)).body.id).toBe(id);
    expect((await v2("GET", `/posts/${id}`)).body.id).toBe(id);
    const made = await v2("POST", "/users/me/memos", {});
    expect(made.headers.location).toBe(`/api/v2/posts/${made.body.id}`);
  });
});

describe("a field that has another form in the newest version", () => {
  const inEuros = replaceField({
    resource: "memo",
    from: "euros",
    to: "cents",
    schemaDown: ({ description }) => ({ type: "number", ...(description === undefined ? {} : { description }) }),
    down: (value) => Number(value) / 100,
    up: (value) => Math.round(Number(value) * 100),
  });
  const asWords = replaceField({
    resource: "memo",
    from: "size",
    to: "level",
    schemaDown: () => ({ type: "string", enum: ["small", "big"] }),
    down: (value) => (value === "high" ? "big" : "small"),
    up: (value) => (value === "big" ? "high" : "low"),
  });
  const asNumber = replaceField({
    resource: "memo",
    from: "finished",
    to: "done",
    schemaDown: () => ({ type: "integer", minimum: 0, maximum: 1 }),
    down: (value) => (value === true ? 1 : 0),
    up: (value) => value === 1,
  });

  test("is filtered and sorted by in its older form", async () => {
    const { v2, make, list } = await scene(inEuros);
    for (const cents of [150, 250, 350]) await make({ cents });
    const euros = async (query: string) =>
      (await v2("GET", `${list}?${query}`)).body.data.map((row: { euros: number }) => row.euros);
    expect(await euros("filter[euros]=2.5")).toEqual([2.5]);
    expect(await euros("filter[euros][gte]=2.5&sort=-euros")).toEqual([3.5, 2.5]);
    expect(await euros("filter[euros][in]=1.5,3.5")).toEqual([1.5, 3.5]);
    expect(await euros("filter[euros][in]=1.5%2C3.5")).toEqual([1.5, 3.5]);
    expect((await v2("GET", `${list}?filter[euros]=cheap`)).body).toMatchObject({
      status: 400,
      code: "invalid_filter",
      errors: [{ parameter: "filter[euros]" }],
    });
  });

  test("is found by each of the newer values that it stands for", async () => {
    const { v2, make, list } = await scene(asWords, asNumber);
    for (const level of ["low", "mid", "high"]) await make({ level, done: level === "mid" });
    const sizes = async (query: string) =>
      (await v2("GET", `${list}?${query}`)).body.data.map((row: { size: string }) => row.size);
    expect(await sizes("filter[size]=small")).toEqual(["small", "small"]);
    expect(await sizes("filter[size][ne]=small")).toEqual(["big"]);
    expect(await sizes("filter[size][in]=small,big")).toHaveLength(3);
    expect(await sizes("filter[size][in]=small%2Cbig")).toHaveLength(3);
    expect(await sizes("filter[finished]=1")).toEqual(["small"]);
    expect((await v2("GET", `${list}?filter[finished]=true`)).status).toBe(400);
  });

  test("has the operators of its older form alone, in its documents as in its answers", async () => {
    const asText = replaceField({
      resource: "memo",
      from: "cents",
      to: "cents",
      schemaDown: () => ({ type: "string", maxLength: 20 }),
      down: String,
      up: Number,
    });
    const { v2, call, list } = await scene(asText);
    for (const query of ["filter[cents][lt]=5", "sort=cents"]) {
      expect((await v2("GET", `${list}?${query}`)).status).toBe(400);
    }
    expect((await v2("GET", `${list}?filter[cents][in]=5`)).status).toBe(200);
    const body = await documentOf(call, "v2");
    const parameters: { name: string; description: string }[] = body.paths["/users/{id}/memos"].get.parameters;
    const names = parameters.map(({ name }) => name).filter((name) => name.startsWith("filter[cents]"));
    expect(names).toEqual([
      "filter[cents]",
      "filter[cents][eq]",
      "filter[cents][ne]",
      "filter[cents][in]",
      "filter[cents][nin]",
    ]);
    expect(parameters.find(({ name }) => name === "sort")?.description).not.toContain("cents");
  });
});

describe("two names that were swapped", () => {
  const swapped = [
    renameField({ resource: "memo", from: "left", to: "right" }),
    renameField({ resource: "memo", from: "right", to: "left" }),
  ];

  test("are swapped in data, in filters and in the texts of errors", async () => {
    const { v2, make, list } = await scene(...swapped);
    await make({ left: "a", right: "b" });
    const { body } = await v2("GET", `${list}?filter[left]=b`);
    expect(body.data).toEqual([expect.objectContaining({ left: "b", right: "a" })]);
    const refused = (await v2("GET", `${list}?sort=colour`)).body;
    expect(refused.detail).toContain('"right", "left", "cents"');
  });
});

describe("a text about a value", () => {
  test("stays as it is, also where it quotes what is a name in the newer version", async () => {
    const { v2, list } = await scene(renameField({ resource: "memo", from: "low", to: "left" }));
    const { body } = await v2("POST", list, { level: "none" });
    expect(body.detail).toContain('one of "low", "mid", "high"');
  });
});

describe("an idempotency key", () => {
  test("means the same request with and without the version's name in the path", async () => {
    const api = testApi({ resources: [memo] });
    const { token } = await api.user("ada");
    const headers = { "idempotency-key": "the-same" };
    const first = await api.call("POST", "/users/me/memos", { token, headers, body: {} });
    const again = await api.call("POST", "/users/me/memos", { token, headers, body: {}, base: "/api" });
    expect(again.status).toBe(201);
    expect(again.body.id).toBe(first.body.id);
    expect(again.headers["idempotency-replayed"]).toBe("true");
  });
});
