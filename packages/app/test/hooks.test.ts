import { type AppOptions, afterCommit, beforeWrite, type Hook, user } from "@postern/app";
import { choice, defineResource, integer, nullable, ownedBy, prose, Refused, reference, text } from "@postern/core";
import { memoryPorts } from "@postern/core/memory";
import { defineJob, type JobHandler, newJob } from "@postern/jobs";
import { renameField } from "@postern/rest";
import { describe, expect, test } from "vitest";
import { testApi } from "./api.ts";
import { scene as issuerScene } from "./outside-issuer-scene.ts";

const own = { read: ownedBy("user_id"), update: ownedBy("user_id"), delete: ownedBy("user_id") };

const invoice = defineResource({
  name: "invoice",
  plural: "invoices",
  description: "A bill.",
  fields: {
    user_id: reference("user", { onDelete: "cascade", description: "Whose it is." }),
    number: text(40, { description: "Its number." }),
    amount: integer({ min: 0, description: "In cents.", default: 0 }),
    note: nullable(text(200, { description: "What the server knows of it.", write: "nobody" })),
    state: choice(["draft", "sent", "paid"], { description: "How far it is.", default: "draft" }),
  },
  owner: "user_id",
  access: own,
  lifecycle: { field: "state", initial: ["draft"], moves: { draft: ["sent"], sent: ["paid"], paid: [] }, stamps: {} },
});

const line = defineResource({
  name: "line",
  plural: "lines",
  description: "A line of a bill.",
  fields: {
    user_id: reference("user", { onDelete: "cascade", description: "Whose it is." }),
    invoice_id: reference("invoice", { onDelete: "cascade", description: "The bill." }),
    what: text(100, { description: "What it is for." }),
  },
  owner: "user_id",
  parent: { resource: "invoice", field: "invoice_id", createRequires: "update" },
  access: own,
});

/** An application in memory with these hooks, a user, and a worker. */
const scene = async (hooks: readonly Hook[], more: Partial<AppOptions> = {}) => {
  // The application's own transactions are not in the audit log, which `testApi` asks for otherwise.
  const own = memoryPorts();
  const api = testApi({ parts: ["users"], resources: [invoice, line], hooks, ports: own, ...more }, own);
  const { app, ports, call } = api;
  const ada = await api.user("ada");
  const worker = app.worker({ name: "only", concurrency: 4 });
  await worker.start();
  const { token } = ada;
  return {
    ...api,
    ada,
    send: (method: "POST" | "PATCH" | "PUT" | "DELETE", path: string, body?: object) =>
      call(method, path, { token, ...(body === undefined ? {} : { body }) }),
    create: async (number: string) => {
      const { body, status } = await call("POST", "/invoices", { token, body: { number } });
      expect(status).toBe(201);
      return String(body.id);
    },
    /** Looks for work as often as a runner would, for so long. */
    work: async (ms = 0) => {
      for (let passed = 0; passed <= ms; passed += 1_000) {
        for (let turn = 0; turn < 40; turn += 1) {
          await worker.runDue();
          await ports.clock.advance(0);
        }
        if (passed < ms) await ports.clock.advance(1_000);
      }
    },
    jobs: (kind: string) => ports.storage.jobRecords.list({ kind, limit: 100 }),
  };
};

/** A hook that keeps what it was told. */
const noting = (options: Parameters<typeof afterCommit>[3] = {}) => {
  const seen: { kind: string; id: string; changed: readonly string[]; before: unknown; row: unknown }[] = [];
  const hook = afterCommit(
    invoice,
    "note",
    async ({ kind, rowId: id, changed, before, row }) => void seen.push({ kind, id, changed, before, row }),
    options,
  );
  return { seen, hook };
};

describe("a hook after the commit", () => {
  test("hears of what the API creates, changes and deletes, with the row before and after", async () => {
    const { seen, hook } = noting({ order: "row" });
    const { create, send, work } = await scene([hook]);
    const id = await create("1");
    await send("PATCH", `/invoices/${id}`, { amount: 7 });
    await send("DELETE", `/invoices/${id}`);
    await work();
    expect(seen).toEqual([
      {
        kind: "create",
        id,
        changed: ["user_id", "number", "amount", "state"],
        before: null,
        row: expect.objectContaining({ id, number: "1", revision: 1 }),
      },
      {
        kind: "update",
        id,
        changed: ["amount"],
        before: expect.objectContaining({ amount: 0, revision: 1 }),
        row: expect.objectContaining({ amount: 7, revision: 2 }),
      },
      { kind: "delete", id, changed: [], before: expect.objectContaining({ amount: 7, revision: 2 }), row: null },
    ]);
  });

  test("hears once of a row that one transaction writes several times, and not of what it takes back", async () => {
    const { seen, hook } = noting();
    const { app, ada, create, work } = await scene([hook]);
    const id = await create("1");
    await work();
    seen.length = 0;
    await app.transaction(async ({ rows }) => {
      await rows.invoices?.update(id, { amount: 1 });
      await rows.invoices?.move(id, "sent");
      const gone = await rows.invoices?.create({ user_id: ada.id, number: "2" });
      await rows.invoices?.remove(String(gone?.id));
    });
    await app.transaction(async ({ rows }) => {
      await rows.invoices?.update(id, { amount: 9 });
      await rows.invoices?.update(id, { amount: 1 });
    });
    await app
      .transaction(async ({ rows }) => {
        await rows.invoices?.update(id, { amount: 100 });
        throw new Error("no");
      })
      .catch(() => undefined);
    await work();
    expect(seen).toMatchObject([
      {
        kind: "update",
        changed: ["amount", "state"],
        before: { amount: 0, state: "draft" },
        row: { amount: 1, state: "sent", revision: 3 },
      },
    ]);
  });

  test("knows who asked, by which request, and nothing that nobody reads", async () => {
    const seen: unknown[] = [];
    const hook = afterCommit(user, "signed-up", async (change) => void seen.push(change));
    const { work, ada, call } = await scene([hook]);
    await call("PATCH", `/users/${ada.id}`, { token: ada.token, body: { name: "Ada L." } });
    await work();
    expect(seen).toMatchObject([
      { resource: "user", kind: "create", caller: null, request: "request-1", row: { email: "ada@example.com" } },
      { kind: "update", changed: ["name"], caller: { userId: ada.id, role: "user", credential: { kind: "session" } } },
    ]);
    for (const hidden of ["password", "trusted_email"]) expect(JSON.stringify(seen)).not.toContain(`"${hidden}":`);
  });

  test("hears of rows that go with another one", async () => {
    const seen: unknown[] = [];
    const { create, send, work, call, ada } = await scene([
      afterCommit(line, "lines", async ({ kind, before }) => void seen.push([kind, before?.what])),
    ]);
    const id = await create("1");
    for (const what of ["paper", "ink"]) await send("POST", `/invoices/${id}/lines`, { what });
    await send("DELETE", `/invoices/${id}`);
    await work();
    expect(seen).toHaveLength(4);
    expect(seen.slice(2)).toEqual(
      expect.arrayContaining([
        ["delete", "paper"],
        ["delete", "ink"],
      ]),
    );
    const again = await create("2");
    await send("POST", `/invoices/${again}/lines`, { what: "wax" });
    await call("DELETE", `/users/${ada.id}`, { token: ada.token });
    await work();
    expect(seen.at(-1)).toEqual(["delete", "wax"]);
  });

  test("gets a change of more than 48 KiB without its rows, and reads the row", async () => {
    const seen: unknown[] = [];
    const note = defineResource({
      name: "note",
      plural: "notes",
      description: "A long text.",
      fields: {
        user_id: reference("user", { onDelete: "cascade", description: "Whose it is." }),
        text: prose(60_000, { description: "The text." }),
      },
      owner: "user_id",
      access: own,
    });
    const hook = afterCommit(note, "long", async (change) => {
      seen.push(change.row, (await change.read())?.text.length);
    });
    const { ada, app, work } = await scene([hook], { resources: [note] });
    await app.transaction(async ({ rows }) => rows.notes?.create({ user_id: ada.id, text: "x".repeat(50_000) }));
    await work();
    expect(seen).toEqual([null, 50_000]);
  });

  test("that writes the row whose change called it ends after 16 changes, with a sentence", async () => {
    let runs = 0;
    const hook = afterCommit(invoice, "again", async ({ rowId }, { commit }) => {
      runs += 1;
      await commit(async (rows) => rows.invoices?.update(rowId, { amount: runs }));
    });
    const { create, work, jobs } = await scene([hook]);
    await create("1");
    await work();
    expect(runs).toBe(16);
    const [last] = await jobs("again");
    expect(last).toMatchObject({ state: "dead" });
    expect(last?.lastError).toContain("16 changes have caused each other before this one of invoice");
  });

  test("hears of what a job commits, in the order of the row's revisions with `order: row`", async () => {
    const { seen, hook } = noting({ order: "row", kinds: ["update"] });
    const job = defineJob<{ id: string; amount: number }>("raise", async ({ id, amount }, { commit }) => {
      await commit(async (rows) => rows.invoices?.update(id, { amount }));
    });
    const { app, create, work } = await scene([hook], { jobs: [job as JobHandler] });
    const id = await create("1");
    for (const amount of [1, 2, 3, 4]) await app.enqueue(newJob(job, { id, amount }, { orderKey: id }));
    await work(5_000);
    expect(seen.map(({ row }) => Object(row).revision)).toEqual([2, 3, 4, 5]);
  });
});

describe("a hook before a write", () => {
  test("refuses with its code and sentence, and nothing is written", async () => {
    const { seen, hook } = noting();
    const { send, create, work } = await scene([
      hook,
      beforeWrite(
        invoice,
        ({ row, before }) => {
          if (row === null && before?.state !== "draft") throw new Refused("sent", "It was sent.");
          if (row?.number === "13") throw new Refused("unlucky", "Take another number.", { field: "number" });
        },
        { errors: { sent: "Only drafts can be deleted.", unlucky: "There is no number 13." } },
      ),
    ]);
    const refused = await send("POST", "/invoices", { number: "13" });
    expect(refused).toMatchObject({ status: 400, body: { code: "unlucky", detail: "Take another number." } });
    expect(refused.body.errors).toMatchObject([{ pointer: "/number", code: "unlucky" }]);
    const id = await create("1");
    await send("PATCH", `/invoices/${id}`, { state: "sent" });
    expect(await send("DELETE", `/invoices/${id}`)).toMatchObject({ status: 409, body: { code: "sent" } });
    await work();
    expect(seen.map(({ kind }) => kind)).toEqual(["create", "update"]);
  });

  test("changes values, also those that only the server writes, and they are checked and are part of the change", async () => {
    const { seen, hook } = noting({ order: "row" });
    const { create, call, ada, work } = await scene([
      hook,
      beforeWrite(invoice, ({ row }) => (row === null ? undefined : { note: `number ${row.number}` })),
    ]);
    const id = await create("5");
    const read = async () => (await call("GET", `/invoices/${id}`, { token: ada.token })).body;
    expect(await read()).toMatchObject({ note: "number 5" });
    const { body } = await call("PATCH", `/invoices/${id}`, { token: ada.token, body: { number: "6" } });
    expect(body).toEqual(await read());
    expect(body).toMatchObject({ number: "6", note: "number 6" });
    await work();
    expect(seen).toMatchObject([
      { changed: expect.arrayContaining(["note"]), row: { note: "number 5" } },
      { changed: ["number", "note"], row: { note: "number 6" } },
    ]);
  });

  test("reads rows as its transaction sees them", async () => {
    const { create, send } = await scene([
      beforeWrite(
        invoice,
        async ({ before, rows }) => {
          const [first, second] = (await rows.invoices?.list()) ?? [];
          if (first !== undefined) await rows.invoices?.get(first.id, { hold: true });
          if (before === null && second !== undefined) throw new Refused("full", "Two are enough.");
          expect(() => Object(rows.invoices).create).toThrow("a hook before a write only reads");
        },
        { errors: { full: "There are two." } },
      ),
    ]);
    await create("1");
    await create("2");
    expect(await send("POST", "/invoices", { number: "3" })).toMatchObject({ status: 409 });
  });

  test("that fails is answered 500 without its name, which is in the log, and nothing is written", async () => {
    const faults: Readonly<Record<string, () => unknown>> = {
      throws: () => {
        throw new Error("boom");
      },
      "returns a value that does not fit": () => ({ amount: -1 }),
      "returns a field that there is not": () => ({ colour: "red" }),
      "takes longer than a second": () => new Promise(() => undefined),
    };
    const hook = beforeWrite(invoice, ({ row }) => faults[row?.number ?? ""]?.(), { name: "faulty" });
    const { send, ports } = await scene([hook]);
    for (const number of Object.keys(faults)) {
      const sent = send("POST", "/invoices", { number });
      await ports.clock.advance(1_100);
      const { status, body } = await sent;
      expect({ number, status, code: body.code }).toEqual({ number, status: 500, code: "hook_failed" });
      expect(JSON.stringify(body)).not.toContain("faulty");
    }
    const logged = ports.telemetry.entries.filter(({ fields }) => fields.hook === "faulty");
    expect(logged).toHaveLength(Object.keys(faults).length);
    expect(await ports.storage.resources.count(invoice, { scope: { where: { all: [] } } }, 9)).toBe(0);
  });

  test("throws into code of the application that writes", async () => {
    const { app, ada } = await scene([
      beforeWrite(
        invoice,
        () => {
          throw new Refused("never", "No.");
        },
        { errors: { never: "No." } },
      ),
    ]);
    const write = app.transaction(async ({ rows }) => rows.invoices?.create({ user_id: ada.id, number: "1" }));
    await expect(write).rejects.toMatchObject({ name: "Refused", code: "never" });
  });

  test("points to a field by its name in the version of the request", async () => {
    const change = {
      id: "labels-are-numbers",
      kind: "renamed" as const,
      title: "A label is called number",
      why: "It is one.",
      migration: "Write `number`.",
      effects: [renameField({ resource: "invoice", from: "label", to: "number" })],
    };
    const versions = [
      { id: "v1" as const, released: "2026-01-01", changes: [] },
      { id: "v2" as const, released: "2026-02-01", changes: [change] },
    ];
    const { call, ada } = await scene(
      [
        beforeWrite(
          invoice,
          () => {
            throw new Refused("unlucky", "Take another one.", { field: "number" });
          },
          { errors: { unlucky: "It brings bad luck." } },
        ),
      ],
      { versions },
    );
    const pointers = [];
    for (const [version, body] of [
      ["v1", { label: "13" }],
      ["v2", { number: "13" }],
    ] as const) {
      const { body: problem } = await call("POST", "/invoices", { token: ada.token, version, body });
      pointers.push(problem.errors?.[0]?.pointer);
    }
    expect(pointers).toEqual(["/label", "/number"]);
  });

  test("is asked about an account that a token of an outside issuer makes", async () => {
    const { me, token } = issuerScene(
      {},
      {
        hooks: [
          beforeWrite(
            user,
            ({ before }) => {
              if (before === null) throw new Refused("closed", "Nobody comes in today.");
            },
            { errors: { closed: "It is closed." } },
          ),
        ],
      },
    );
    expect(await me(await token())).toMatchObject({ status: 409, body: { code: "closed" } });
  });

  test("is asked about a user who signs up", async () => {
    const { call } = await scene([
      beforeWrite(
        user,
        ({ row, before }) => {
          if (before === null && row?.email.endsWith("@spam.example"))
            throw new Refused("no_spam", "Not from there.", { field: "email" });
        },
        { errors: { no_spam: "This address is not taken." } },
      ),
    ]);
    const body = { name: "x", email: "x@spam.example", password: "correct horse battery" };
    expect(await call("POST", "/users", { body })).toMatchObject({ status: 400, body: { code: "no_spam" } });
  });
});

describe("the start refuses", () => {
  test.each<[string, () => unknown, string]>([
    [
      "a hook of a resource that is not declared",
      () => testApi({ hooks: [afterCommit(invoice, "x", async () => 1)] }),
      'there is no resource "invoice"',
    ],
    [
      "a hook before writes that Postern alone makes",
      () => testApi({ hooks: [{ ...beforeWrite(invoice, () => 1), resource: "session" } as Hook] }),
      "Postern alone writes",
    ],
    [
      "a name of Postern's own",
      () => testApi({ resources: [invoice], hooks: [afterCommit(invoice, "postern.x", async () => 1)] }),
      "postern.",
    ],
    [
      "two hooks of one name",
      () => testApi({ resources: [invoice], hooks: [1, 2].map(() => afterCommit(invoice, "x", async () => 1)) }),
      "x",
    ],
    ["a hook without code", () => beforeWrite(invoice, undefined as never), "function"],
    ["a hook without a resource", () => afterCommit({} as never, "x", async () => 1), "resource"],
    [
      "an order that there is not",
      () => afterCommit(invoice, "x", async () => 1, { order: "column" as never }),
      '"row"',
    ],
    ["a code that cannot be one", () => beforeWrite(invoice, () => 1, { errors: { "No!": "x" } }), "lower-case"],
  ])("%s", (_what, make, says) => {
    expect(make).toThrow(says);
  });
});
