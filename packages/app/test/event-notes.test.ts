import { on } from "@postern/inbox";
import { Permanent } from "@postern/jobs";
import { expect, test } from "vitest";
import { scene } from "./inbox-scene.ts";

const operator = { kind: "operator", name: "ada" } as const;
// biome-ignore lint/suspicious/noExplicitAny: answers of several operations, which the tests compare.
type Shown = any;

const opened = async () => {
  const handler = on("acme", "*", async (event) => {
    if (JSON.stringify(event.data).includes("bad")) throw new Permanent("no");
  });
  const found = await scene([handler]);
  const run = async (operation: string, id: string, more = {}): Promise<Shown> =>
    (await found.app.run({ operation: `admin.events.${operation}`, principal: operator, params: { id }, ...more }))
      .body;
  const store = async ({ type, ...data }: Shown, id: string): Promise<string> => {
    const { body: answer } = await found.deliver(JSON.stringify({ type, data }), { id });
    await found.work();
    return (answer as { id: string }).id;
  };
  return { ...found, run, store };
};

test("a note is shown with its event, says who wrote it, and is in the audit log without its text", async () => {
  const { app, run, store } = await opened();
  const id = await store({ type: "invoice.paid", n: 1 }, "1");
  const note = await run("note", id, { body: { text: "told the customer" } });
  expect(note).toMatchObject({ author: "ada", text: "told the customer", id: expect.any(String) });
  await run("note", id, { body: { text: "and their bank" } });
  expect((await run("read", id)).notes.map(({ text }: { text: string }) => text)).toEqual([
    "told the customer",
    "and their bank",
  ]);
  const { body } = await app.run({
    operation: "admin.audit.list",
    principal: operator,
    query: { "filter[action]": "admin.events.note" },
  });
  expect((body as Shown).data[0]).toMatchObject({
    resource: "event",
    resource_id: id,
    fields: ["note"],
    result: "done",
  });
  expect(JSON.stringify(body)).not.toContain("bank");
});

test("notes are bounded in number and length, and are about an event that is there", async () => {
  const { run, store } = await opened();
  const id = await store({ type: "invoice.paid", n: 1 }, "1");
  await expect(run("note", "999", { body: { text: "x" } })).rejects.toThrow("no such event");
  for (const text of ["", "x".repeat(2_001)]) {
    await expect(run("note", id, { body: { text } })).rejects.toMatchObject({ code: "validation_failed" });
  }
  for (let n = 0; n < 50; n += 1) await run("note", id, { body: { text: `${n}` } });
  await expect(run("note", id, { body: { text: "51" } })).rejects.toThrow("has 50 notes already");
});

test("an event is compared with the last good one of its sender and type", async () => {
  const { run, store, states } = await opened();
  await store({ type: "invoice.paid", customer: "c0", n: 12345678901234567890n.toString() }, "1");
  const good = await store({ type: "invoice.paid", customer: "c1", kept: [1, 2] }, "2");
  await store({ type: "invoice.paid", customer: "bad" }, "3");
  const other = await store({ type: "push", customer: "c9" }, "4");
  const id = await store({ type: "invoice.paid", customer: null, kept: [1, 3], bad: true }, "5");
  const later = await store({ type: "invoice.paid", customer: "later" }, "6");
  expect(await states()).toEqual(["processed", "processed", "dead", "processed", "dead", "processed"]);
  expect(await run("difference", id)).toEqual({
    event_id: id,
    against: { event_id: good, received_at: expect.any(String) },
    complete: true,
    changes: [
      { path: "/data/customer", kind: "changed", before: '"c1"', after: "null" },
      { path: "/data/kept/1", kind: "changed", before: "2", after: "3" },
      { path: "/data/bad", kind: "added", before: null, after: "true" },
    ],
  });
  expect(await run("difference", id, { query: { against: later } })).toMatchObject({ against: { event_id: later } });
  expect(await run("difference", other)).toMatchObject({ against: null, complete: true, changes: [] });
  await expect(run("difference", id, { query: { against: "999" } })).rejects.toThrow("no such event");
});

test("what cannot be compared is refused with the reason", async () => {
  const { run, store, deliver } = await opened();
  const first = await store({ type: "a", n: 1 }, "1");
  const { body } = await deliver("{", { id: "2" });
  const { id: against } = body as { id: string };
  await expect(run("difference", first, { query: { against } })).rejects.toThrow("its body cannot be read");
});
