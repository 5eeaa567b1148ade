import { type AppOptions, createApp } from "@postern/app";
import {
  defineResource,
  nullable,
  ownedBy,
  Refused,
  reference,
  signedIn,
  text,
  timestamp,
  withRole,
} from "@postern/core";
import { memoryPorts } from "@postern/core/memory";
import { defineJob, newJob } from "@postern/jobs";
import { defineOperation, renameField } from "@postern/rest";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { documentOf, testApi } from "./api.ts";

const rule = ownedBy("user_id");
const bill = defineResource({
  name: "bill",
  plural: "bills",
  description: "What a customer owes.",
  fields: {
    user_id: reference("user", { onDelete: "cascade", description: "Who sends it." }),
    number: text(20, { description: "Its number." }),
    sent_at: nullable(timestamp({ write: "nobody", description: "When it was sent." })),
  },
  owner: "user_id",
  access: { read: rule, update: rule, delete: rule },
});

const told = defineJob<{ id: string }>("tell", async () => undefined);

const send = defineOperation({
  id: "bills.send",
  method: "POST",
  path: "/bills/{id}/send",
  summary: "Send a bill",
  access: rule,
  on: bill,
  resources: [bill],
  input: z.object({ to: z.email(), copies: z.int().min(1).max(9).default(1) }),
  output: z.object({ number: z.string(), sent_at: z.string(), copies: z.int() }),
  errors: { already_sent: "The bill was sent before.", wrong_address: "Bills do not go to this address." },
  handle: async ({ row, body, write, now }) => {
    if (body.to.endsWith("@example.org")) throw new Refused("wrong_address", "Not to example.org.", { field: "to" });
    return write(async (tx) => {
      const held = await tx.rows.bills.get(row.id, { hold: true });
      if (held.sent_at !== null) throw new Refused("already_sent", "This bill was sent before.");
      const sent = await tx.rows.bills.update(row.id, { sent_at: new Date(now()).toISOString() });
      await tx.enqueue(newJob(told, { id: row.id }));
      return { number: sent.number, sent_at: String(sent.sent_at), copies: body.copies };
    });
  },
});

const search = defineOperation({
  id: "search",
  method: "GET",
  path: "/search",
  summary: "Search bills",
  access: signedIn,
  resources: [bill],
  input: z.object({ number: z.string().max(20), most: z.coerce.number().int().min(1).max(10).default(5) }),
  output: z.object({ found: z.array(z.string()), all: z.int() }),
  handle: async ({ query, rows }) => {
    const mine = await rows.bills.list({ number: query.number }, { limit: query.most });
    const all = await rows.asSystem.bills.list({ number: query.number });
    return { found: mine.map(({ id }) => id), all: all.length };
  },
});

const ping = defineOperation({
  id: "ping",
  method: "GET",
  path: "/ping",
  summary: "Say who asks",
  access: "public",
  output: z.object({ caller: z.string().nullable() }),
  handle: async ({ caller }) => ({ caller: caller?.role ?? null }),
});

const close = defineOperation({
  id: "books.close",
  method: "POST",
  path: "/close",
  summary: "Close the books",
  access: withRole("accountant"),
  handle: async () => undefined,
});

const misfit = defineOperation({
  id: "bills.spoil",
  method: "POST",
  path: "/bills/{id}/spoil",
  summary: "Answer what was not declared",
  access: rule,
  on: bill,
  resources: [bill],
  output: z.object({ total: z.int() }),
  handle: ({ row, write }) =>
    write(async (tx) => {
      await tx.rows.bills.update(row.id, { number: "spoilt" });
      await tx.enqueue(newJob(told, { id: row.id }));
      return { total: "secret" as unknown as number };
    }),
});

const rename = defineOperation({
  id: "bills.number",
  method: "PATCH",
  path: "/bills/{id}/number",
  summary: "Give a bill another number",
  access: rule,
  on: bill,
  resources: [bill],
  input: z.object({ number: z.string() }),
  output: bill,
  handle: ({ row, body, write }) => write((tx) => tx.rows.bills.update(row.id, body)),
});

const options: Partial<AppOptions> = {
  resources: [bill],
  jobs: [told],
  roles: { accountant: { scopes: [], description: "Keeps the books." } },
  operations: [send, search, ping, close, misfit, rename],
};

const scene = async () => {
  const api = testApi(options);
  const ada = await api.user("ada");
  const bob = await api.user("bob");
  const made = await api.call("POST", "/bills", { token: ada.token, body: { number: "B1" } });
  expect(made.status).toBe(201);
  return { ...api, ada, bob, bill: made.body.id as string, path: `/bills/${made.body.id}` };
};

const jobsOf = ({ ports }: Awaited<ReturnType<typeof scene>>) =>
  ports.storage.jobRecords.list({ kind: "tell", limit: 10 });

describe("an operation of an application", () => {
  test("loads its row under its rule, and writes once, with jobs, audit entry and answer", async () => {
    const api = await scene();
    const { call, ada, path } = api;
    const body = { to: "x@example.com", copies: 2 };
    const headers = { "idempotency-key": "one" };
    const first = await call("POST", `${path}/send`, { token: ada.token, body, headers });
    expect(first).toMatchObject({ status: 200, body: { number: "B1", copies: 2 } });
    expect(await jobsOf(api)).toHaveLength(1);
    const again = await call("POST", `${path}/send`, { token: ada.token, body, headers });
    expect([again.status, again.body, again.headers["idempotency-replayed"]]).toEqual([200, first.body, "true"]);
    expect(await jobsOf(api)).toHaveLength(1);
    const entries = await api.ports.storage.audit.list({ limit: 20 });
    expect(entries.filter(({ action }) => action === "bills.send")).toMatchObject([
      { resource: "bill", resourceId: api.bill, result: "done", actor: { kind: "user", id: ada.id } },
    ]);
  });

  test("answers who may not reach its row as if the row did not exist", async () => {
    const { call, bob, ada, path } = await scene();
    const body = { to: "x@example.com" };
    const foreign = await call("POST", `${path}/send`, { token: bob.token, body });
    const missing = await call("POST", "/bills/01900000-0000-7000-8000-000000000000/send", { token: ada.token, body });
    const { instance: _one, ...told } = foreign.body;
    const { instance: _other, ...same } = missing.body;
    expect([foreign.status, told]).toEqual([404, same]);
    expect((await call("POST", `${path}/send`, { body })).status).toBe(401);
  });

  test("refuses with its own codes: 409, or 400 with a pointer", async () => {
    const api = await scene();
    const { call, ada, path } = api;
    const request = { token: ada.token, body: { to: "x@example.com" } };
    await call("POST", `${path}/send`, request);
    expect(await call("POST", `${path}/send`, request)).toMatchObject({
      status: 409,
      body: {
        code: "already_sent",
        type: "/api/problems/already_sent",
        title: "The bill was sent before.",
        detail: "This bill was sent before.",
      },
    });
    const wrong = await call("POST", `${path}/send`, { token: ada.token, body: { to: "x@example.org" } });
    expect(wrong).toMatchObject({
      status: 400,
      body: {
        code: "wrong_address",
        errors: [{ pointer: "/to", code: "wrong_address", detail: "Not to example.org." }],
      },
    });
    expect((await call("GET", "/problems/already_sent", { base: "/api" })).body).toMatchObject({
      code: "already_sent",
      title: "The bill was sent before",
    });
  });

  test("checks what it takes, and names each fault", async () => {
    const { call, ada, path } = await scene();
    const sent = await call("POST", `${path}/send`, { token: ada.token, body: { to: "nobody", copies: 10, more: 1 } });
    expect([sent.status, sent.body.errors.map((one: { pointer: string }) => one.pointer)]).toEqual([
      400,
      ["/to", "/copies", "/more"],
    ]);
    const asked = await call("GET", "/search?number=B1&most=11&x=1", { token: ada.token });
    expect([asked.status, asked.body.code, asked.body.errors[0].parameter]).toEqual([400, "unknown_parameter", "x"]);
    const over = await call("GET", "/search?number=B1&most=11", { token: ada.token });
    expect([over.status, over.body.errors[0].parameter]).toEqual([400, "most"]);
  });

  test("reads as its caller, or as the application", async () => {
    const { call, ada, bob, bill: id } = await scene();
    const asked = (token: string) => call("GET", "/search?number=B1", { token });
    expect((await asked(ada.token)).body).toEqual({ found: [id], all: 1 });
    expect((await asked(bob.token)).body).toEqual({ found: [], all: 1 });
  });

  test("commits nothing, and answers 500, if the answer does not fit", async () => {
    const api = await scene();
    const { call, ada, path } = api;
    const answer = await call("POST", `${path}/spoil`, { token: ada.token });
    expect([answer.status, answer.body.code, JSON.stringify(answer.body)]).toEqual([
      500,
      "bad_output",
      expect.not.stringContaining("secret"),
    ]);
    expect((await call("GET", path, { token: ada.token })).body).toMatchObject({ number: "B1" });
    expect(await jobsOf(api)).toEqual([]);
    const entries = await api.ports.storage.audit.list({ limit: 20 });
    expect(entries.filter(({ action }) => action === "bills.spoil")).toEqual([]);
  });

  test("answers a row of a resource in its own form", async () => {
    const { call, ada, path } = await scene();
    const answer = await call("PATCH", `${path}/number`, { token: ada.token, body: { number: "B2" }, version: "v1" });
    expect([answer.status, answer.body.number, typeof answer.headers.etag]).toEqual([200, "B2", "string"]);
  });

  test("is public, for users, or for roles", async () => {
    const { call, ada, admin, path } = await scene();
    expect((await call("GET", "/ping")).body).toEqual({ caller: null });
    const known = await call("GET", "/ping", { token: ada.token });
    expect([known.body, known.headers.vary]).toEqual([{ caller: "user" }, "Authorization"]);
    expect((await call("POST", "/close", { token: ada.token })).status).toBe(403);
    const root = await admin();
    expect((await call("POST", "/close", { token: root.token })).status).toBe(204);
    expect(path).toContain("/bills/");
  });

  test("is in the document of every version, with scope, errors and limits", async () => {
    const { call } = await scene();
    for (const version of ["v1", "v2"]) {
      const { paths } = await documentOf(call, version);
      const { post } = paths["/bills/{id}/send"];
      expect(post).toMatchObject({
        operationId: "bills.send",
        security: [{ bearer: ["bills:write"] }],
        tags: ["bills"],
      });
      expect(post.responses["409"].description).toContain("already_sent");
      expect(post.responses["500"].description).toContain("bad_output");
      expect(Object.keys(paths["/search"].get.responses)).toEqual(expect.arrayContaining(["200", "429"]));
      expect(paths["/close"].post.responses["403"]).toBeDefined();
    }
  });
});

test("members of what an operation takes and answers change with versions", async () => {
  const versions = [
    { id: "v1", released: "2026-01-01", changes: [] },
    {
      id: "v2",
      released: "2026-06-01",
      changes: [
        {
          id: "plain-names",
          kind: "renamed",
          title: "Members have plain names",
          why: "They are read more often than written.",
          migration: "Rename them.",
          effects: [
            renameField({ resource: "bills.send.input", from: "address", to: "to" }),
            renameField({ resource: "bills.send.output", from: "bill", to: "number" }),
            renameField({ resource: "bill", from: "no", to: "number" }),
          ],
        },
      ],
    },
  ] as const;
  const { call, user } = testApi({ ...options, versions });
  const { token } = await user("ada");
  const made = await call("POST", "/bills", { token, body: { number: "B1" } });
  const path = `/bills/${made.body.id}`;
  const older = { token, version: "v1" };
  expect((await call("PATCH", `${path}/number`, { ...older, body: { number: "B2" } })).body.no).toBe("B2");
  const wrong = await call("POST", `${path}/send`, { ...older, body: { address: "nobody" } });
  expect([wrong.status, wrong.body.errors[0].pointer]).toEqual([400, "/address"]);
  const refused = await call("POST", `${path}/send`, { ...older, body: { address: "x@example.org" } });
  expect([refused.body.code, refused.body.errors[0].pointer]).toEqual(["wrong_address", "/address"]);
  const sent = await call("POST", `${path}/send`, { ...older, body: { address: "x@example.com", copies: 3 } });
  expect(sent).toMatchObject({ status: 200, body: { bill: "B2", copies: 3 } });
});

test("a caller without a credential needs a long idempotency key", async () => {
  const { call } = testApi({
    operations: [
      defineOperation({
        id: "open",
        method: "POST",
        path: "/open",
        summary: "Open",
        access: "public",
        handle: async () => 1,
      }),
    ],
  });
  const ask = (key: string) => call("POST", "/open", { headers: { "idempotency-key": key } });
  expect((await ask("123456789012345")).body.code).toBe("malformed_header");
  expect((await ask("1234567890123456")).status).toBe(204);
  expect((await ask("1234567890123456")).headers["idempotency-replayed"]).toBe("true");
});

describe("an operation is refused at the start", () => {
  const base = {
    id: "x.y",
    method: "POST",
    path: "/x",
    summary: "X",
    access: signedIn,
    handle: async () => undefined,
  } as const;
  test.each([
    [
      "the path of a resource",
      { ...base, path: "/bills", access: signedIn },
      'path: POST /bills is the operation "bills.create"',
    ],
    [
      "the path of a row, spelled otherwise",
      { ...base, method: "DELETE", path: "/bills/{bill}" },
      'is the operation "bills.delete"',
    ],
    ["an id of Postern", { ...base, id: "bills.create" }, "is an operation that exists already"],
    ["an id of the operators", { ...base, id: "admin.x" }, "admin.… are Postern's own"],
    ["a path of the operators", { ...base, path: "/admin/x" }, "/admin is the part of the operators"],
    ["a parameter that is no segment", { ...base, path: "/x/:id" }, '":id" is no segment'],
    ["a row without {id}", { ...base, on: bill, access: rule }, '"on" loads the row of {id}'],
    ["a rule on rows without rows", { ...base, access: rule }, 'say with "on" of which resource'],
    ["a public row", { ...base, path: "/x/{id}", on: bill, access: "public" }, '"public" opens no rows'],
    ["an unknown role", { ...base, access: withRole("boss") }, 'there is no role "boss"'],
    ["an unknown field", { ...base, path: "/x/{id}", on: bill, access: ownedBy("owner_id") }, 'no field "owner_id"'],
    ["a code of Postern", { ...base, errors: { conflict: "No." } }, "is a code of Postern"],
    ["a body that is no object", { ...base, input: z.string() }, "a body is an object"],
    [
      "a query without names",
      { ...base, method: "GET", input: z.record(z.string(), z.string()) },
      "names of the query",
    ],
    ["a scope that is none", { ...base, scope: "all" }, '"all" is no scope'],
  ] as const)("%s", (_what, definition, sentence) => {
    const start = () =>
      createApp({ ports: memoryPorts(), resources: [bill], operations: [defineOperation(definition as never)] });
    expect(start).toThrow(sentence);
  });

  test("two of the same id or path, and one that was not made with defineOperation", () => {
    const operations = [
      defineOperation(base),
      defineOperation({ ...base, path: "/z" }),
      defineOperation({ ...base, id: "z" }),
      { ...base, id: "q" } as never,
    ];
    expect(() => createApp({ ports: memoryPorts(), operations })).toThrow(
      /two operations with this id[\s\S]*POST \/x is the operation "x.y", too[\s\S]*make it with defineOperation/,
    );
  });
});
