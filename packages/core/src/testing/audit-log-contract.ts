import assert from "node:assert/strict";
import type { AuditEntry, AuditQuery } from "../ports/audit-log.ts";
import type { Storage } from "../ports/storage.ts";
import type { Contract } from "./contract.ts";
import { user } from "./contract-resources.ts";
import { idNumber, userRow } from "./rows.ts";

const at = 1_800_000_000_000;

const entry = (changes: Partial<AuditEntry> = {}): AuditEntry => ({
  at,
  actor: { kind: "user", id: idNumber(1) },
  credential: `session:${idNumber(9)}`,
  action: "posts.update",
  resource: "post",
  resourceId: idNumber(10),
  result: "done",
  requestId: "request-1",
  address: "2001:db8::1",
  fields: ["title", "body"],
  ...changes,
});

const bare: AuditEntry = {
  at: at + 3,
  actor: { kind: "anonymous" },
  action: "sessions.create",
  result: "invalid_credentials",
  requestId: "r".repeat(128),
  address: "local",
  fields: [],
};

/** What every `AuditLog` promises, on a fresh storage. */
export const auditLogContract: Contract<Storage> = {
  "gives back what was appended, newest first": async ({ audit }) => {
    await audit.append(entry());
    await audit.append(bare);
    const [second, first, ...others] = await audit.list({ limit: 10 });
    assert.deepEqual(others, []);
    assert.ok(first !== undefined && second !== undefined && first.id < second.id);
    assert.deepEqual(first, { ...entry(), id: first.id });
    assert.deepEqual(second, { ...bare, id: second.id });
  },
  "finds entries by each of their properties": async ({ audit }) => {
    await audit.append(entry());
    await audit.append(entry({ actor: { kind: "operator", id: "root" }, at: at + 1 }));
    await audit.append(entry({ action: "posts.delete", resourceId: idNumber(11), at: at + 2 }));
    await audit.append(bare);
    const found = async (query: Omit<AuditQuery, "limit">): Promise<number[]> =>
      (await audit.list({ ...query, limit: 10 })).map((one) => one.at - at);
    assert.deepEqual(await found({ actorId: idNumber(1) }), [2, 0]);
    assert.deepEqual(await found({ actorId: "root" }), [1]);
    assert.deepEqual(await found({ actorId: "ROOT" }), []);
    assert.deepEqual(await found({ action: "posts.update" }), [1, 0]);
    assert.deepEqual(await found({ otherThan: ["posts.update", "posts.read"] }), [3, 2]);
    assert.deepEqual(await found({ otherThan: ["posts.update"], actorId: idNumber(1) }), [2]);
    assert.equal(await audit.count({ otherThan: ["posts.update"] }, 10), 2);
    assert.deepEqual(await found({ resource: "post" }), [2, 1, 0]);
    assert.deepEqual(await found({ resource: "post", resourceId: idNumber(11) }), [2]);
    assert.deepEqual(await found({ since: at + 1, until: at + 3 }), [2, 1]);
    assert.deepEqual(await found({ action: "posts.update", since: at + 1 }), [1]);
  },
  "finds entries of an actor and of a resource, sealed or not, in pages": async ({ audit, auditChain }) => {
    const actors = [1, 2, 1, 1, 2, 1];
    for (const [n, actor] of actors.entries()) {
      await audit.append(
        entry({ at: at + n, actor: { kind: "user", id: idNumber(actor) }, resourceId: idNumber(n % 2) }),
      );
    }
    const ids = (await audit.list({ after: 0, limit: 9 })).map(({ id }) => id);
    const of = async (query: AuditQuery): Promise<number[]> => (await audit.list(query)).map((one) => one.at - at);
    const seen = async () => {
      const actorId = idNumber(1);
      assert.deepEqual(await of({ actorId, limit: 9 }), [5, 3, 2, 0]);
      assert.deepEqual(await of({ actorId, limit: 2 }), [5, 3]);
      assert.deepEqual(await of({ actorId, limit: 2, before: ids[3] ?? 0 }), [2, 0]);
      assert.deepEqual(await of({ actorId, limit: 2, after: ids[0] ?? 0 }), [2, 3]);
      assert.deepEqual(await of({ resourceId: idNumber(0), limit: 9 }), [4, 2, 0]);
      assert.deepEqual(await of({ actorId, resourceId: idNumber(0), limit: 9 }), [2, 0]);
      assert.deepEqual(await of({ actorId, since: at + 1, until: at + 5, limit: 9 }), [3, 2]);
      assert.equal(await audit.count({ actorId }, 9), 4);
      assert.equal(await audit.count({ actorId }, 3), 3);
      assert.equal(await audit.count({ resourceId: idNumber(1) }, 9), 3);
    };
    await seen();
    // Entries need not be sealed in the order of their ids.
    const seal = (places: readonly (readonly [number, number])[], now: number) =>
      auditChain.append(
        places.map(([place, n]) => ({ place, entryId: ids[n] ?? 0, digest: `digest-${place}` })),
        now,
      );
    const steps: readonly (readonly [readonly (readonly [number, number])[], number])[] = [
      [
        [
          [1, 0],
          [2, 2],
        ],
        at,
      ],
      [
        [
          [3, 1],
          [4, 3],
        ],
        at + 1,
      ],
      // So late that all before it must have a seal.
      [[[5, 4]], at + 3_600_000],
      [[[6, 5]], at + 3_600_001],
    ];
    for (const [places, now] of steps) {
      assert.equal(await seal(places, now), true);
      await seen();
    }
    assert.equal((await audit.list({ actorId: idNumber(1), limit: 1 }))[0]?.seal?.place, 6);
  },
  "pages from newer to older": async ({ audit }) => {
    for (let n = 0; n < 5; n += 1) await audit.append(entry({ at: at + n }));
    const first = await audit.list({ limit: 2 });
    const second = await audit.list({ limit: 9, before: first[1]?.id ?? 0 });
    assert.deepEqual(
      [...first, ...second].map((one) => one.at - at),
      [4, 3, 2, 1, 0],
    );
    const older = await audit.list({ limit: 2, after: second.at(-1)?.id ?? 0 });
    assert.deepEqual(
      older.map((one) => one.at - at),
      [1, 2],
    );
    assert.equal(await audit.count({}, 10), 5);
    assert.equal(await audit.count({ since: at + 1, actorId: idNumber(1) }, 3), 3);
    assert.equal(await audit.count({ action: "posts.delete" }, 10), 0);
  },
  "belongs to the transaction it was appended in": async (storage) => {
    const failing = storage.transaction(async ({ audit }) => {
      await audit.append(entry());
      throw new Error("after all that");
    });
    await assert.rejects(failing, /after all that/);
    assert.deepEqual(await storage.audit.list({ limit: 10 }), []);
    await storage.transaction(({ audit }) => audit.append(entry()));
    assert.equal((await storage.audit.list({ limit: 10 })).length, 1);
  },
  "has the entries of the transactions that were committed and of no others, many being under way and some failing":
    async (storage) => {
      const count = 24;
      const results = await Promise.allSettled(
        Array.from({ length: count }, (_, n) =>
          storage.transaction(async ({ resources, audit }) => {
            if (n % 2 === 0) await audit.append(entry({ resourceId: idNumber(n + 1) }));
            // Every sixth has an address that is already taken.
            await resources.insert(user, userRow(n + 1, n % 6 === 1 ? { email: "same@example.com" } : {}));
            if (n % 2 === 1) await audit.append(entry({ resourceId: idNumber(n + 1) }));
            if (n % 6 === 2) throw new Error("after all that");
          }),
        ),
      );
      const done = results.flatMap(({ status }, n) => (status === "fulfilled" ? [idNumber(n + 1)] : []));
      // Of the four with the same address three fail, and four others fail by themselves.
      assert.equal(done.length, count - 3 - 4);
      const everything = {
        scope: { where: { all: [] }, reason: "test" },
        order: [{ field: "id", direction: "asc" }],
        limit: 100,
      } as const;
      const rows = await storage.resources.list(user, everything);
      assert.deepEqual(rows.map(({ id }) => id).toSorted(), done);
      const entries = await storage.audit.list({ limit: 100 });
      assert.deepEqual(entries.map(({ resourceId }) => resourceId).toSorted(), done);
    },
};
