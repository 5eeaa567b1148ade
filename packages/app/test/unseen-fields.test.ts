import { choice, defineResource, instant, integer, nullable, ownedBy, reference, text } from "@postern/core";
import { describe, expect, test } from "vitest";
import { testApi } from "./api.ts";

const rule = ownedBy("user_id");
const form = defineResource({
  name: "form",
  plural: "forms",
  description: "A form.",
  fields: {
    user_id: reference("user", { onDelete: "cascade", as: "owner", description: "Whose." }),
    title: text(20, { default: "t", description: "What." }),
    code: text(20, { read: "nobody", default: "none", description: "Written, never read." }),
    secret: text(20, { read: "nobody", description: "Written, never read, and never absent." }),
    rank: integer({ read: "admin", default: 1, description: "Everybody writes it, administrators read it." }),
    score: integer({ read: "admin", write: "nobody", default: 7, description: "Set by the server." }),
    grade: integer({ read: "admin", write: "admin", default: 3, description: "For administrators." }),
    note: nullable(text(20, { default: "empty", description: "May be absent." })),
    at: nullable(instant({ description: "When." })),
    state: choice(["open", "shut"], { read: "admin", default: "open", description: "Its state." }),
  },
  owner: "user_id",
  lifecycle: { field: "state", initial: ["open"], moves: { open: ["shut"] }, stamps: {} },
  parent: { resource: "user", field: "user_id", createRequires: "update" },
  access: { read: rule, update: rule, delete: rule },
});

const scene = async () => {
  const api = testApi({ resources: [form] });
  const root = await api.admin();
  const ada = await api.user("ada");
  const call = (method: Parameters<typeof api.call>[0], target: string, body?: object, token = ada.token) =>
    api.call(method, target, { token, ...(body === undefined ? {} : { body }) });
  const made = await call("POST", "/users/me/forms", { secret: "s", code: "c", rank: 5 });
  expect(made.status).toBe(201);
  const path = `/forms/${made.body.id}`;
  const stored = async () => (await api.ports.storage.resources.find(form, made.body.id, { where: { all: [] } })) ?? {};
  return {
    ...api,
    call,
    path,
    stored,
    asAdmin: (method: Parameters<typeof api.call>[0], body?: object) => call(method, path, body, root.token),
  };
};

describe("what a caller cannot read", () => {
  test("stays as it is when they change something else", async () => {
    const { call, path, stored } = await scene();
    expect((await call("PATCH", path, { title: "new" })).status).toBe(200);
    expect(await stored()).toMatchObject({ title: "new", code: "c", secret: "s", rank: 5, state: "open" });
  });

  test("stays as it is when they put back what they read", async () => {
    const { call, path, stored } = await scene();
    const { body } = await call("GET", path);
    expect(body).not.toHaveProperty("rank");
    expect((await call("PUT", path, { ...body, title: "new" })).status).toBe(200);
    expect(await stored()).toMatchObject({ title: "new", code: "c", secret: "s", rank: 5 });
  });

  test.each(["PUT", "PATCH"] as const)("changes by %s when they send it", async (method) => {
    const { call, path, stored } = await scene();
    expect((await call(method, path, { code: "C", secret: "S", rank: 6 })).status).toBe(200);
    expect(await stored()).toMatchObject({ code: "C", secret: "S", rank: 6 });
    expect((await call(method, path, { secret: 5 })).body.errors[0].pointer).toBe("/secret");
  });

  test("has its default again where a patch says null, and is refused where there is none", async () => {
    const { call, path, stored } = await scene();
    expect((await call("PATCH", path, { code: null })).status).toBe(200);
    expect(await stored()).toMatchObject({ code: "none", secret: "s" });
    expect((await call("PATCH", path, { secret: null })).body.errors[0].pointer).toBe("/secret");
  });

  test("has its default again when who can read it leaves it out", async () => {
    const { asAdmin, stored } = await scene();
    expect((await asAdmin("PUT", { title: "x" })).status).toBe(200);
    expect(await stored()).toMatchObject({ rank: 1, code: "c", secret: "s" });
  });

  test.each(["PUT", "PATCH"] as const)(
    "cannot be guessed by %s: right and wrong are the same answer",
    async (method) => {
      const { call, path, asAdmin } = await scene();
      for (const [name, right] of [
        ["score", 7],
        ["grade", 3],
      ] as const) {
        const answers = [];
        for (const value of [right, right + 1]) answers.push((await call(method, path, { [name]: value })).body);
        expect(answers[0]).toMatchObject({ status: 400, code: "field_read_only" });
        expect(answers[0]).toEqual({ ...answers[1], instance: answers[0].instance });
      }
      expect((await asAdmin(method, { title: "t", score: 7 })).status).toBe(200);
    },
  );

  test("is not told by a state that cannot follow it", async () => {
    const { call, path } = await scene();
    await call("PATCH", path, { state: "shut" });
    const { status, body } = await call("PATCH", path, { state: "open" });
    expect(status).toBe(409);
    expect(body.detail).not.toContain("shut");
  });
});

describe("null in a patch", () => {
  test("makes a field null that can be, also one with a default, as PUT does", async () => {
    const { call, path } = await scene();
    await call("PATCH", path, { note: "something" });
    expect((await call("PATCH", path, { note: null })).body.note).toBeNull();
    expect((await call("PATCH", path, { title: null })).body.title).toBe("t");
  });
});

describe("a moment", () => {
  test.each([
    ["2026-01-31t12:00:00z", "2026-01-31T12:00:00.000Z"],
    ["2016-12-31T23:59:60Z", "2017-01-01T00:00:00.000Z"],
    ["2017-01-01T01:59:60.25+02:00", "2017-01-01T00:00:00.250Z"],
    ["1969-12-31T23:59:60Z", "1970-01-01T00:00:00.000Z"],
    ["2026-01-31T12:00:00.123456789-05:30", "2026-01-31T17:30:00.123Z"],
    ["0000-02-29T00:00:00Z", "0000-02-29T00:00:00.000Z"],
  ])("is taken as RFC 3339 writes it: %s", async (given, kept) => {
    const { call, path } = await scene();
    expect((await call("PATCH", path, { at: given })).body.at).toBe(kept);
  });

  test.each([
    "2026-02-30T12:00:00Z",
    "2026-01-31T12:00:60Z",
    "2026-01-31T24:00:00Z",
    "2026-01-31 12:00:00Z",
    "2026-01-31T12:00Z",
    "2026-01-31T12:00:00",
    "2026-01-31T12:00:00+24:00",
    "0000-01-01T00:00:00+01:00",
    "9999-12-31T23:59:60Z",
    `2026-01-31T12:00:00.${"1".repeat(60)}Z`,
  ])("is refused where RFC 3339 has no such moment or we have no room for it: %s", async (given) => {
    const { call, path } = await scene();
    const { status, body } = await call("PATCH", path, { at: given });
    expect({ status, pointer: body.errors[0].pointer }).toEqual({ status: 400, pointer: "/at" });
  });
});

describe("a list in memory with a next page", () => {
  test("is 304 for a caller who has it", async () => {
    const { call, user } = await scene();
    const grace = await user("grace");
    for (const secret of ["a", "b"]) await call("POST", "/users/me/forms", { secret }, grace.token);
    const list = () => call("GET", "/users/me/forms?limit=1", undefined, grace.token);
    const [one, other] = [await list(), await list()];
    expect(one.body.page.has_more).toBe(true);
    expect(other.headers.etag).toBe(one.headers.etag);
  });
});
