import assert from "node:assert/strict";
import type { Resource } from "../model/resource.ts";
import { equals } from "../ports/condition.ts";
import type { JobQueue } from "../ports/job-queue.ts";
import type { Cascade, Row } from "../ports/resource-repository.ts";
import type { Storage } from "../ports/storage.ts";
import type { Contract } from "./contract.ts";
import { comment, post, session, user } from "./contract-resources.ts";
import { all, code, idsOf, listIds, ownedBy, seed, seedMany } from "./resource-seeds.ts";
import { commentRow, idNumber, postRow, userRow } from "./rows.ts";

/** What writing rows promises. */
export const resourceWritingContract: Contract<Storage> = {
  "gives back what was stored, value for value": async ({ resources }) => {
    const row = userRow(1, {
      name: "Zoë 𝒵 'quoted' \"twice\" \\ % _ ;--",
      phone: "+1 555 0100",
      preferences: { theme: "dark", nested: { list: [1, 2.5, true, null, "ü"] }, big: 9007199254740991 },
    });
    await resources.insert(user, row);
    assert.deepEqual(await resources.find(user, idNumber(1), all), { ...row, revision: 1 });
  },
  "refuses JSON that would not come back as it is, and says where": async ({ resources }) => {
    const row = userRow(1);
    const at = new Date(0);
    const lossy = (preferences: object) => ({ preferences }) as Row;
    await assert.rejects(
      resources.insert(user, { ...row, ...lossy({ quiet: { at } }) }),
      /preferences\.quiet\.at: a Date/,
    );
    await resources.insert(user, row);
    const changed = (preferences: object) =>
      resources.update(user, { id: idNumber(1), scope: all }, lossy(preferences));
    await assert.rejects(changed({ list: [1, Number.NaN] }), /preferences\.list\[1\]: NaN/);
    await assert.rejects(changed({ list: [undefined] }), /preferences\.list\[0\]: undefined/);
    assert.equal(await changed({ theme: "dark" }), "done");
  },
  "gives back long text with line breaks": async ({ resources }) => {
    const body = `first\nsecond\r\n\tthird 🚪${"x".repeat(99_000)}`;
    await resources.insert(user, userRow(1));
    await resources.insert(post, postRow(10, idNumber(1), { body }));
    assert.equal((await resources.find(post, idNumber(10), all, ["body"]))?.body, body);
  },
  "refuses a second row with a unique value, and says which": async ({ resources }) => {
    await resources.insert(user, userRow(1));
    await assert.rejects(
      resources.insert(user, userRow(2, { email: "user1@example.com" })),
      code("conflict", "/email"),
    );
    assert.equal(await resources.find(user, idNumber(2), all), undefined);
  },
  "refuses a unique text in another normal form, and stores texts that are compared in NFC": async ({ resources }) => {
    const [composed, apart] = ["ren\u00e9@example.com", "rene\u0301@example.com"];
    await resources.insert(user, userRow(1, { email: apart, name: "Rene\u0301", address: "Cafe\u0301 1" }));
    await assert.rejects(resources.insert(user, userRow(2, { email: composed })), code("conflict", "/email"));
    await resources.insert(user, userRow(2));
    const second = { id: idNumber(2), scope: all };
    for (const email of [composed, apart])
      await assert.rejects(resources.update(user, second, { email }), code("conflict", "/email"));
    // Nobody can filter by the address, so it comes back as it was written.
    assert.deepEqual(await resources.find(user, idNumber(1), all, ["email", "name", "address"]), {
      email: composed,
      name: "Ren\u00e9",
      address: "Cafe\u0301 1",
    });
    await resources.update(user, second, { name: "Zoe\u0308" });
    assert.deepEqual(await resources.find(user, idNumber(2), all, ["name"]), { name: "Zo\u00eb" });
  },
  "refuses a second row with the same id": async ({ resources }) => {
    await resources.insert(user, userRow(1));
    await assert.rejects(resources.insert(user, userRow(1, { email: "other@example.com" })), code("conflict", "/id"));
  },
  "keeps one row when two inserts race for a unique value": async (storage) => {
    const tries = Array.from({ length: 8 }, (_, n) =>
      storage.resources.insert(user, userRow(n + 1, { email: "same@example.com" })),
    );
    const results = await Promise.allSettled(tries);
    assert.equal(results.filter(({ status }) => status === "fulfilled").length, 1);
    for (const result of results) if (result.status === "rejected") code("conflict", "/email")(result.reason);
    assert.equal((await listIds(storage, {})).length, 1);
  },
  "refuses a row that refers to nothing": async ({ resources }) => {
    await assert.rejects(resources.insert(post, postRow(10, idNumber(99))), code("not_found"));
  },
  "deletes a row with however many others: all of them are gone at once, and leave piece by piece": async (storage) => {
    const { resources, housekeeping } = storage;
    await seedMany(storage);
    assert.equal(await resources.delete(user, idNumber(1), all), "done");

    // Nothing of the first user is left. Everything of the second is, except rows below rows of the
    // first.
    assert.equal(await resources.find(user, idNumber(1), all), undefined);
    assert.equal(await resources.find(post, idNumber(100), all), undefined);
    assert.equal(await resources.find(comment, idNumber(2001), all), undefined);
    assert.deepEqual(await listIds(storage, {}), [idNumber(2)]);
    assert.equal(await resources.count(post, { scope: all }, 1000), 1);
    assert.equal(await resources.count(comment, { scope: all }, 1000), 1);
    assert.deepEqual(idsOf(await resources.findEach(post, [idNumber(100), idNumber(9)], all, { fields: ["id"] })), [
      idNumber(9),
    ]);
    const order = [{ field: "id", direction: "asc" }] as const;
    const parents = { field: "user_id", ids: [idNumber(1), idNumber(2)] };
    const below = await resources.listBelow(post, { scope: all, parents, order, limit: 50, fields: ["id", "user_id"] });
    assert.deepEqual(idsOf(below), [idNumber(9)]);
    assert.deepEqual(await resources.list(post, { scope: ownedBy(idNumber(1)), order, limit: 10 }), []);

    // Nothing can be done to it, or below it.
    assert.equal(await resources.update(user, { id: idNumber(1), scope: all }, { name: "New" }), "missing");
    assert.equal(await resources.update(post, { id: idNumber(100), scope: all }, { title: "New" }), "missing");
    assert.equal(await resources.delete(user, idNumber(1), all), "missing");
    assert.equal(await resources.delete(post, idNumber(100), all), "missing");
    assert.equal(await resources.deleteWhere(comment, all, equals("user_id", idNumber(1))), 0);
    await assert.rejects(resources.insert(post, postRow(5000, idNumber(1))), code("not_found"));
    await assert.rejects(resources.insert(comment, commentRow(5001, idNumber(100), idNumber(2))), code("not_found"));
    await assert.rejects(
      resources.update(post, { id: idNumber(9), scope: all }, { user_id: idNumber(1) }),
      code("not_found"),
    );
    assert.deepEqual(await storage.transaction((stores) => stores.resources.hold(user, { scope: all }, 10)), [
      idNumber(2),
    ]);

    // Its unique values are free, for a new row and for an existing one.
    await resources.insert(user, userRow(3, { email: "user1@example.com" }));
    assert.equal(await resources.delete(user, idNumber(3), all), "done");
    assert.equal(await resources.update(user, { id: idNumber(2), scope: all }, { email: "user1@example.com" }), "done");

    const left = await housekeeping.unfinishedDeletions(10_000);
    let removed = 0;
    for (let count = -1; count !== 0; removed += count) {
      count = await housekeeping.finishDeletions(500);
      assert.ok(count <= 500);
    }
    assert.deepEqual([left.deletions > 0, removed > 0], [left.rows > 0, left.rows > 0]);
    assert.deepEqual(await housekeeping.unfinishedDeletions(10_000), { deletions: 0, rows: 0 });
    assert.equal((await resources.find(user, idNumber(2), all))?.email, "user1@example.com");
    assert.equal(await resources.count(post, { scope: all }, 1000), 1);
    assert.equal(await resources.count(comment, { scope: all }, 1000), 1);
  },
  "says how much there is of a selection, and keeps two writers from both taking the last place": async (storage) => {
    for (const n of [1, 2]) await storage.resources.insert(user, userRow(n));
    await storage.resources.insert(post, postRow(11, idNumber(1), { title: "\u00e4b", body: "\u20ac" }));
    await storage.resources.insert(post, postRow(12, idNumber(2), { title: "a", body: "b" }));
    const selection = { scope: ownedBy(idNumber(1)) };
    const usage = (bytes: boolean) =>
      storage.transaction(({ resources }) => resources.usage(post, selection, { bytes }));
    assert.deepEqual(await usage(true), { rows: 1, bytes: 6 });
    assert.deepEqual(await usage(false), { rows: 1, bytes: 0 });
    const nobody = { scope: ownedBy(idNumber(3)) };
    assert.deepEqual(await storage.transaction(({ resources }) => resources.usage(post, nobody, { bytes: true })), {
      rows: 0,
      bytes: 0,
    });
    const add = (n: number): Promise<boolean> =>
      storage
        .transaction(async ({ resources }) => {
          await resources.hold(user, { scope: all, where: equals("id", idNumber(1)) }, 1);
          await resources.insert(post, postRow(n, idNumber(1)));
          const { rows } = await resources.usage(post, selection, { bytes: false });
          if (rows > 3) throw new Error("full");
        })
        .then(
          () => true,
          () => false,
        );
    const added = await Promise.all([21, 22, 23, 24, 25, 26].map(add));
    assert.equal(added.filter(Boolean).length, 2);
    assert.equal(await storage.resources.count(post, selection, 100), 3);
  },
  "changes the named fields and raises the revision": async ({ resources }) => {
    await resources.insert(user, userRow(1));
    assert.equal(
      await resources.update(user, { id: idNumber(1), scope: all }, { name: "New", preferences: { a: 1 } }),
      "done",
    );
    assert.deepEqual(await resources.find(user, idNumber(1), all), {
      ...userRow(1, { name: "New", preferences: { a: 1 } }),
      revision: 2,
    });
  },
  "refuses a change to a unique value that is taken": async ({ resources }) => {
    await resources.insert(user, userRow(1));
    await resources.insert(user, userRow(2));
    await assert.rejects(
      resources.update(user, { id: idNumber(2), scope: all }, { email: "user1@example.com" }),
      code("conflict", "/email"),
    );
  },
  "names the first field of the resource where several values are taken": async ({ resources }) => {
    await resources.insert(user, userRow(1));
    await resources.insert(user, userRow(2));
    const row = userRow(1, { email: "user2@example.com" });
    await assert.rejects(resources.insert(user, row), code("conflict", "/id"));
  },
  "changes nothing when the revision is another": async ({ resources }) => {
    await resources.insert(user, userRow(1));
    await resources.update(user, { id: idNumber(1), scope: all }, { name: "Second" });
    assert.equal(
      await resources.update(user, { id: idNumber(1), scope: all }, { name: "Late" }, { expectedRevision: 1 }),
      "stale",
    );
    assert.equal(await resources.delete(user, idNumber(1), all, { expectedRevision: 1 }), "stale");
    assert.equal((await resources.find(user, idNumber(1), all))?.name, "Second");
    assert.equal(
      await resources.update(user, { id: idNumber(9), scope: all }, { name: "x" }, { expectedRevision: 1 }),
      "missing",
    );
  },
  "holds rows for the transaction that asked, so that two never both take away the last but one": async (storage) => {
    for (const n of [1, 2]) await storage.resources.insert(user, userRow(n, { role: "admin" }));
    const admins = { scope: all, where: equals("role", "admin") };
    const demote = (n: number): Promise<boolean> =>
      storage.transaction(async ({ resources }) => {
        const held = await resources.hold(user, admins, 2);
        if (held.length < 2) return false;
        await resources.update(user, { id: idNumber(n), scope: all }, { role: "user" });
        return true;
      });
    assert.deepEqual((await Promise.all([demote(1), demote(2)])).toSorted(), [false, true]);
    assert.equal((await storage.transaction(({ resources }) => resources.hold(user, admins, 2))).length, 1);
  },
  "lets one of many writers of the same revision through": async ({ resources }) => {
    await resources.insert(user, userRow(1));
    const results = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        resources.update(user, { id: idNumber(1), scope: all }, { name: `Writer ${n}` }, { expectedRevision: 1 }),
      ),
    );
    assert.deepEqual(results.toSorted(), ["done", ...Array.from({ length: 7 }, () => "stale")]);
  },
  "deletes what belongs to a row with it": async (storage) => {
    await seed(storage);
    await storage.resources.insert(session, {
      id: idNumber(30),
      user_id: idNumber(1),
      refresh_digest: "digest",
      previous_digest: null,
      successor: null,
      successor_until: null,
      device: null,
      address: null,
      last_used_at: "2026-01-01T00:00:00.000Z",
      expires_at: "2026-01-01T00:00:00.000Z",
      created_at: "2026-01-01T00:00:00.000Z",
      updated_at: "2026-01-01T00:00:00.000Z",
    });
    assert.equal(await storage.resources.delete(user, idNumber(1), all), "done");
    assert.deepEqual(await listIds(storage, {}, post), [idNumber(12)]);
    assert.deepEqual(await listIds(storage, {}, comment), []);
    assert.deepEqual(await listIds(storage, {}, session), []);
    assert.equal(await storage.resources.delete(user, idNumber(1), all), "missing");
  },
  "tells which rows of some resources go with a deleted one, each once, at once or when the deletion is finished":
    async (storage) => {
      await seed(storage);
      const told: string[] = [];
      const tell = (name: string, rows: readonly Row[]): void => {
        for (const row of rows) told.push(`${name} ${row.id} ${String(row.body).slice(0, 1)} ${row.revision}`);
      };
      let left = 0;
      const cascade: Cascade = {
        resources: new Set(["comment"]),
        deleted: ({ name }, rows) => tell(name, rows),
        left: () => {
          left += 1;
        },
      };
      const { resources, housekeeping } = storage;
      const before = await listIds(storage, {}, comment);
      assert.ok(before.length > 0);
      assert.equal(await resources.delete(user, idNumber(1), all, { cascade }), "done");
      const after = await listIds(storage, {}, comment);
      assert.equal(told.length, before.length - after.length);
      assert.deepEqual([new Set(told).size, left], [told.length, 0]);
      assert.equal(await resources.delete(user, idNumber(1), all, { cascade }), "missing");

      told.length = 0;
      await resources.insert(post, postRow(90, idNumber(2)));
      await storage.transaction(async (stores) => {
        for (let n = 0; n < 501; n += 1)
          await stores.resources.insert(comment, commentRow(2000 + n, idNumber(90), idNumber(2)));
      });
      assert.equal(await resources.delete(post, idNumber(90), all, { cascade }), "done");
      assert.equal(told.length, left === 0 ? 501 : 0);
      const later = {
        resources: cascade.resources,
        deleted: async (jobs: Pick<JobQueue, "enqueue">, { name }: Resource, rows: readonly Row[]) => {
          assert.equal(typeof jobs.enqueue, "function");
          tell(name, rows);
        },
      };
      while ((await housekeeping.finishDeletions(100, later)) > 0);
      assert.deepEqual([told.length, new Set(told).size], [501, 501]);
      assert.ok(told.every((line) => /^comment \S+ \S 1$/.test(line)));
    },
  "counts the rows that a condition deletes": async (storage) => {
    await seed(storage);
    assert.equal(await storage.resources.deleteWhere(post, all, equals("user_id", idNumber(1))), 2);
    assert.deepEqual(await listIds(storage, {}, post), [idNumber(12)]);
  },
};
