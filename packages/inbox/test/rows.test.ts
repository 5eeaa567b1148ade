import { choice, decimal, defineResource, equals, nullable, ownedBy, reference, text, timestamp } from "@postern/core";
import { createRows } from "@postern/core/internal";
import { memoryStorage } from "@postern/core/memory";
import { contractResources, idNumber as id, userRow } from "@postern/core/testing";
import { eventTypes, handlersFor, on } from "@postern/inbox";
import { describe, expect, test } from "vitest";
import { z } from "zod";

const own = ownedBy("user_id");
const invoice = defineResource({
  name: "sent_invoice",
  plural: "sent-invoices",
  description: "An invoice.",
  fields: {
    user_id: reference("user", { onDelete: "cascade", as: "owner", description: "Whose." }),
    number: text(20, { unique: true, filter: "everyone", description: "Its number." }),
    amount: decimal({ digits: 6, decimals: 2, default: 1, description: "How much." }),
    state: choice(["draft", "sent", "paid"], { default: "draft", write: "nobody", description: "Its state." }),
    paid_at: nullable(timestamp({ description: "When it was paid." })),
  },
  owner: "user_id",
  access: { read: own, update: own, delete: own },
  lifecycle: {
    field: "state",
    initial: ["draft"],
    moves: { draft: ["sent"], sent: ["paid"], paid: [] },
    stamps: { paid: "paid_at" },
  },
});
const note = defineResource({
  name: "note",
  plural: "notes",
  description: "A note.",
  fields: { user_id: reference("user", { onDelete: "cascade", as: "owner", description: "Whose." }) },
  owner: "user_id",
  access: { read: own, update: own, delete: own },
});

const start = Date.parse("2026-01-01T00:00:00.000Z");
const next = "2026-01-01T00:01:00.000Z";

/** The rows in a storage of their own; each call of `commit` is a transaction, one minute after the one before. */
const scene = async () => {
  const storage = memoryStorage();
  const [user] = contractResources.filter(({ name }) => name === "user");
  if (user !== undefined) for (const n of [1, 2]) await storage.resources.insert(user, userRow(n));
  let now = start;
  let ids = 100;
  const rowsIn = createRows([invoice, note], { ids: { uuid: () => id(++ids) } });
  const commit: Parameters<
    Parameters<ReturnType<typeof handlersFor<[typeof invoice, typeof note]>>["on"]>[2]
  >[1]["commit"] = (work) => {
    const time = now;
    now += 60_000;
    // The rows have these names: they are declared above.
    return storage.transaction((stores) => work(rowsIn(stores, () => time) as never, stores as never));
  };
  return { storage, commit, plain: rowsIn(storage, () => now) };
};

const mine = { user_id: id(1), number: "2026-1" };
const code = (thrown: string) => expect.objectContaining({ code: thrown });

describe("the rows of a declared resource", () => {
  test("begin with defaults, an id, times and the first revision", async () => {
    const { commit } = await scene();
    const made = await commit(({ sent_invoices }) => sent_invoices.create(mine));
    const at = "2026-01-01T00:00:00.000Z";
    expect(made).toEqual({
      ...mine,
      id: id(101),
      amount: 1,
      state: "draft",
      paid_at: null,
      created_at: at,
      updated_at: at,
      revision: 1,
    });
    expect(await commit(({ sent_invoices }) => sent_invoices.get(made.id))).toEqual(made);
  });

  test("follow the lifecycle with its stamps, and stay as they are in the state they are in", async () => {
    const { commit } = await scene();
    await commit(async ({ sent_invoices }) => {
      const made = await sent_invoices.create(mine);
      await expect(sent_invoices.move(made.id, "paid")).rejects.toThrow("From draft it can become sent, not paid.");
      await sent_invoices.move(made.id, "sent", { amount: 2.5 });
    });
    const paid = await commit(({ sent_invoices }) => sent_invoices.move(id(101), "paid"));
    expect(paid).toMatchObject({ state: "paid", amount: 2.5, paid_at: next, updated_at: next, revision: 3 });
    expect(await commit(({ sent_invoices }) => sent_invoices.move(id(101), "paid"))).toEqual(paid);
    expect(await commit(({ sent_invoices }) => sent_invoices.get(id(101)))).toEqual(paid);
  });

  test("keep a stamp that the application knows better", async () => {
    const { commit } = await scene();
    const at = "2025-12-24T00:00:00.000Z";
    const paid = await commit(async ({ sent_invoices }) => {
      const { id: made } = await sent_invoices.create(mine);
      await sent_invoices.move(made, "sent");
      return sent_invoices.move(made, "paid", { paid_at: at });
    });
    expect(paid.paid_at).toBe(at);
  });

  test("are found by their values, and none is taken for another", async () => {
    const { commit } = await scene();
    await commit(async ({ sent_invoices }) => {
      const one = await sent_invoices.create(mine);
      const other = await sent_invoices.create({ ...mine, number: "2026-2", amount: 3 });
      expect(await sent_invoices.find({ number: "2026-2" }, { hold: true })).toEqual(other);
      expect(await sent_invoices.list({ number: ["2026-2", "2026-1"] }, { order: ["-amount"] })).toEqual([other, one]);
      expect(await sent_invoices.list({}, { where: equals("amount", 3) })).toEqual([other]);
      expect(await sent_invoices.list({}, { limit: 1, after: one })).toEqual([other]);
      await expect(sent_invoices.find({ number: "2026-3" })).rejects.toThrow("no sent_invoice with this number");
      await expect(sent_invoices.find({ state: "draft" })).rejects.toThrow("several sent-invoices have this state");
      await expect(sent_invoices.find({})).rejects.toThrow("at least one value");
      await expect(sent_invoices.find({ number: undefined as never })).rejects.toThrow('"number" is undefined');
      await expect(sent_invoices.find({ numbr: "1" } as never)).rejects.toThrow('did you mean "number"?');
    });
  });

  test("refuse what does not fit, and write nothing", async () => {
    const { commit } = await scene();
    await commit(async ({ sent_invoices }) => {
      const made = await sent_invoices.create(mine);
      for (const [changes, refusal] of [
        [{ amount: 0.001 }, "validation_failed"],
        [{ amuont: 1 }, "unknown_field"],
        [{ updated_at: next }, "field_read_only"],
        [{ state: "paid" }, "state_conflict"],
      ] as const) {
        await expect(sent_invoices.update(made.id, changes as never)).rejects.toEqual(code(refusal));
      }
      await expect(sent_invoices.create({ number: "1" } as never)).rejects.toThrow("user_id: this is required");
      await expect(sent_invoices.create(mine)).rejects.toEqual(code("conflict"));
      expect(await sent_invoices.update(made.id, { amount: 1 })).toEqual(made);
      expect(await sent_invoices.list()).toEqual([made]);
    });
  });

  test("are only those of the scope, and others are not there", async () => {
    const { commit } = await scene();
    await commit(async ({ sent_invoices }) => {
      const { id: made } = await sent_invoices.create(mine);
      const others = sent_invoices.scopedTo(equals("user_id", id(2)));
      for (const call of [others.get(made), others.find(mine), others.move(made, "sent"), others.remove(made)]) {
        await expect(call).rejects.toEqual(code("not_found"));
      }
      expect(await others.list()).toEqual([]);
      await sent_invoices.scopedTo(equals("user_id", id(1))).remove(made);
      await expect(sent_invoices.remove(made)).rejects.toEqual(code("not_found"));
    });
    const created = commit(({ sent_invoices }) => sent_invoices.scopedTo(equals("user_id", id(2))).create(mine));
    await expect(created).rejects.toEqual(code("forbidden"));
    expect(await commit(({ sent_invoices }) => sent_invoices.list())).toEqual([]);
  });

  test("are refused under a name that is not declared, with those that are", async () => {
    const { plain } = await scene();
    expect(() => plain.sent_invoice).toThrow('there are no rows named "sent_invoice"; did you mean "sent_invoices"?');
    expect(() => plain.letters).toThrow('there are no rows named "letters"; there are sent_invoices, notes');
    expect(() => plain.jobs).toThrow(
      "the stores are the second argument of commit: commit(async (rows, { jobs }) => …)",
    );
    expect(await Promise.resolve(plain)).toBe(plain);
    await expect(plain.notes?.move(id(1), "done")).rejects.toThrow("a note has no lifecycle");
  });
});

const idle = async (): Promise<void> => undefined;

describe("handlersFor", () => {
  const payment = z.object({ number: z.string() });
  const { on: onKnown } = handlersFor([invoice], {
    bank: { "invoice.paid": payment },
    shop: eventTypes<{ "order.made": { readonly total: number } }>(),
  });

  test("gives a handler the schema of its event, and the resources whose rows it uses", () => {
    const paid = onKnown("bank", "invoice.paid", idle);
    expect(paid).toMatchObject({ name: "bank:invoice.paid", schema: payment, resources: [invoice] });
    expect(onKnown("shop", "order.made", async ({ data }) => void data.total.toFixed())).not.toHaveProperty("schema");
    expect(onKnown("bank", "invoice.*", idle)).not.toHaveProperty("schema");
  });

  test("refuses names that are not among the events", () => {
    // @ts-expect-error There is no such sender.
    expect(() => onKnown("bnak", "invoice.paid", idle)).toThrow('no sender "bnak"; did you mean "bank"?');
    // @ts-expect-error There is no such type.
    expect(() => onKnown("bank", "invoice.payd", idle)).toThrow('no event "invoice.payd" of "bank"; did you mean');
  });

  test("lets the compiler refuse what the declarations do not have", () => {
    const { on: onAny } = handlersFor([invoice]);
    const checked = onAny("bank", "*", async (_event, { commit }) => {
      await commit(async ({ sent_invoices }) => {
        const { state }: { readonly state: "draft" | "sent" | "paid" } = await sent_invoices.get("1");
        // @ts-expect-error There is no such state.
        await sent_invoices.move("1", "payd");
        // @ts-expect-error There is no such field.
        await sent_invoices.update("1", { amuont: 1 });
        // @ts-expect-error An amount is a number.
        await sent_invoices.update("1", { amount: "1" });
        // @ts-expect-error A new one has a number.
        await sent_invoices.create({ user_id: "1" });
        return state;
      });
      // @ts-expect-error There is no such resource.
      await commit(async ({ letters }) => letters);
    });
    const before = on("bank", "*", async (_event, { commit }) => {
      // @ts-expect-error The stores are the second argument.
      await commit(async ({ jobs }) => jobs.enqueue([], 0));
    });
    expect([checked.type, before.type]).toEqual(["*", "*"]);
  });
});
