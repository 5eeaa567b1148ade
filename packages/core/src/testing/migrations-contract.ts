import assert from "node:assert/strict";
import { defineResource } from "../model/define-resource.ts";
import { type Field, nullable, reference, text } from "../model/field.ts";
import type { Resource } from "../model/resource.ts";
import { ownedBy } from "../model/rules.ts";
import type { Row } from "../ports/resource-repository.ts";
import type { StorageAdapter } from "../ports/storage-adapter.ts";
import type { Contract } from "./contract.ts";
import { user } from "./contract-resources.ts";
import { newEvent } from "./inbox-events.ts";
import { all } from "./resource-seeds.ts";
import { idNumber, userRow } from "./rows.ts";

/** A new, empty place to store in. */
interface StoragePlace {
  /** Opens it, as one more process does, for `contractResources` and these. */
  open(resources?: readonly Resource[]): StorageAdapter;
}

const ticketWith = (fields: Readonly<Record<string, Field>>): Resource =>
  defineResource({
    name: "ticket",
    plural: "tickets",
    description: "A ticket.",
    fields: {
      user_id: reference("user", { onDelete: "cascade", description: "Whose it is." }),
      seat: text(20, { description: "A seat." }),
      ...fields,
    },
    owner: "user_id",
    access: { read: ownedBy("user_id"), update: ownedBy("user_id"), delete: ownedBy("user_id") },
  });

const ticket = ticketWith({});
const at = "2026-01-02T03:04:05.678Z";
const ticketRow = (n: number, changes: Row = {}): Row => ({
  id: idNumber(n),
  user_id: idNumber(1),
  seat: `Seat ${n}`,
  created_at: at,
  updated_at: at,
  ...changes,
});

/** Opens the place, brings it to its form, uses it, and closes it. */
const opened = async <Result>(
  { open }: StoragePlace,
  resources: readonly Resource[],
  use: (adapter: StorageAdapter) => Promise<Result>,
): Promise<Result> => {
  const adapter = open(resources);
  try {
    await adapter.migrate.latest();
    return await use(adapter);
  } finally {
    await adapter.close();
  }
};

/** What `migrate` promises, and what it does for the resources that an application declares. */
export const migrationsContract: Contract<StoragePlace> = {
  "is ready after it was brought to its form, and has nothing to do the second time": (place) =>
    opened(place, [], async ({ storage, migrate }) => {
      await storage.check();
      await storage.checkWritable();
      assert.deepEqual(await migrate.latest(), []);
    }),
  "takes each step once when several processes begin at once": async (place) => {
    const adapters = [place.open(), place.open(), place.open()];
    const taken = (await Promise.all(adapters.map(({ migrate }) => migrate.latest()))).flat();
    assert.equal(new Set(taken).size, taken.length);
    for (const { storage } of adapters) await storage.check();
    await Promise.all(adapters.map(({ close }) => close()));
  },
  "keeps what is stored when it is closed and opened again": async (place) => {
    await opened(place, [], async ({ storage }) => {
      await storage.resources.insert(user, userRow(1));
      await storage.events.accept([newEvent("evt_1")]);
    });
    await opened(place, [], async ({ storage }) => {
      assert.equal((await storage.resources.find(user, idNumber(1), all))?.email, "user1@example.com");
      assert.deepEqual(
        (await storage.events.accept([newEvent("evt_1"), newEvent("evt_2")])).map(({ outcome }) => outcome),
        ["duplicate", "accepted"],
      );
    });
  },
  "closes twice": (place) => opened(place, [], ({ close }) => close()),
  "stores rows of a resource that was declared later": async (place) => {
    await opened(place, [], ({ storage }) => storage.resources.insert(user, userRow(1)));
    await opened(place, [ticket], async ({ storage, migrate }) => {
      assert.deepEqual(await migrate.latest(), []);
      await storage.resources.insert(ticket, ticketRow(2));
      assert.equal((await storage.resources.find(ticket, idNumber(2), all))?.seat, "Seat 2");
    });
  },
  "keeps the rows of a declared resource that gets a field more, which is empty in them": async (place) => {
    await opened(place, [ticket], async ({ storage }) => {
      await storage.resources.insert(user, userRow(1));
      await storage.resources.insert(ticket, ticketRow(2));
    });
    const wider = ticketWith({ gate: nullable(text(20, { description: "A gate." })) });
    await opened(place, [wider], async ({ storage }) => {
      const old = await storage.resources.find(wider, idNumber(2), all);
      assert.deepEqual([old?.seat, old?.gate ?? null], ["Seat 2", null]);
      await storage.resources.insert(wider, ticketRow(3, { gate: "B" }));
      assert.equal((await storage.resources.find(wider, idNumber(3), all))?.gate, "B");
    });
  },
  "keeps the rows of a resource that is no longer declared": async (place) => {
    await opened(place, [ticket], async ({ storage }) => {
      await storage.resources.insert(user, userRow(1));
      await storage.resources.insert(ticket, ticketRow(2));
    });
    await opened(place, [], ({ storage }) => storage.check());
    await opened(place, [ticket], async ({ storage }) => {
      assert.equal((await storage.resources.find(ticket, idNumber(2), all))?.seat, "Seat 2");
    });
  },
};
