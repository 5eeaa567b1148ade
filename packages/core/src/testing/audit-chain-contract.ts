import assert from "node:assert/strict";
import type { NewAuditSeal } from "../ports/audit-chain.ts";
import type { AuditEntry } from "../ports/audit-log.ts";
import type { Storage } from "../ports/storage.ts";
import type { Contract } from "./contract.ts";

const at = 1_800_000_000_000;

const entry = (n: number): AuditEntry => ({
  at: at + n,
  actor: { kind: "operator", id: `person ${n}` },
  action: "users.update",
  result: "done",
  requestId: `request-${n}`,
  address: "local",
  fields: ["name"],
});

/** Appends entries; their ids, oldest first. */
const appended = async ({ audit }: Storage, count: number): Promise<readonly number[]> => {
  for (let n = 0; n < count; n += 1) await audit.append(entry(n));
  return (await audit.list({ limit: 1000 })).map(({ id }) => id).toReversed();
};

const sealsOf = (ids: readonly number[], from = 1): readonly NewAuditSeal[] =>
  ids.map((entryId, index) => ({ place: from + index, entryId, digest: `digest-${from + index}` }));

/** What every `AuditChain` promises, on a fresh storage. */
export const auditChainContract: Contract<Storage> = {
  "has no end and no anchor at first": async ({ auditChain }) => {
    assert.equal(await auditChain.last(), undefined);
    assert.equal(await auditChain.anchor(), undefined);
    assert.deepEqual(await auditChain.list({ after: 0, limit: 10 }), []);
    assert.deepEqual(await auditChain.unsealed({ after: 0, limit: 10 }), []);
  },
  "finds what has no seal, by rising id": async (storage) => {
    const { auditChain } = storage;
    const ids = await appended(storage, 5);
    const [first = 0, second = 0, third = 0, fourth = 0, fifth = 0] = ids;
    const found = async (after: number, limit: number, upTo?: number) =>
      (await auditChain.unsealed({ after, limit, ...(upTo === undefined ? {} : { upTo }) })).map(({ id }) => id);
    assert.deepEqual(await found(0, 10), ids);
    // Entries can be sealed in another order than that of their ids: a smaller one may be committed later.
    assert.equal(await auditChain.append(sealsOf([second, fourth]), at), true);
    assert.deepEqual(await found(0, 10), [first, third, fifth]);
    assert.deepEqual(await found(0, 2), [first, third]);
    assert.deepEqual(await found(first, 10, third), [third]);
    const [whole] = await auditChain.unsealed({ after: 0, limit: 1 });
    assert.deepEqual(whole, { ...entry(0), id: first });
  },
  "shows seals with their entries, and entries with their seals": async (storage) => {
    const { auditChain, audit } = storage;
    const ids = await appended(storage, 3);
    assert.equal(await auditChain.append(sealsOf(ids.slice(0, 2)), at), true);
    const seal = { place: 2, digest: "digest-2" };
    assert.deepEqual(await auditChain.list({ after: 1, limit: 10 }), [
      { ...seal, entryId: ids[1], entry: { ...entry(1), id: ids[1], seal } },
    ]);
    assert.equal((await auditChain.list({ after: 0, limit: 1 })).length, 1);
    assert.deepEqual(
      (await audit.list({ limit: 10 })).map((one) => one.seal),
      [undefined, seal, { place: 1, digest: "digest-1" }],
    );
  },
  "knows its end now and as it was": async (storage) => {
    const { auditChain } = storage;
    const ids = await appended(storage, 3);
    const [first, second, third] = sealsOf(ids);
    assert.ok(first && second && third);
    assert.equal(await auditChain.append([first, second], at), true);
    assert.equal(await auditChain.append([third], at + 10), true);
    assert.deepEqual(await auditChain.last(), third);
    assert.deepEqual(await auditChain.last(at + 10), second);
    assert.equal(await auditChain.last(at), undefined);
  },
  "gives each place and each entry one seal, and stores all seals of a call or none": async (storage) => {
    const { auditChain } = storage;
    const ids = await appended(storage, 4);
    assert.equal(await auditChain.append(sealsOf(ids.slice(0, 2)), at), true);
    assert.equal(await auditChain.append(sealsOf(ids.slice(2), 2), at), false);
    assert.equal(await auditChain.append(sealsOf([ids[2] ?? 0, ids[1] ?? 0], 3), at), false);
    assert.equal((await auditChain.list({ after: 0, limit: 10 })).length, 2);
    const rivals = [3, 3, 3].map((from) => auditChain.append(sealsOf(ids.slice(2), from), at));
    assert.deepEqual((await Promise.all(rivals)).toSorted(), [false, false, true]);
    assert.equal((await auditChain.last())?.place, 4);
  },
  "takes a thousand seals at once": async (storage) => {
    const { auditChain } = storage;
    const [first = 0] = await appended(storage, 1);
    const many = Array.from({ length: 1000 }, (_, n) => first + n);
    assert.equal(await auditChain.append(sealsOf(many), at), true);
    assert.equal((await auditChain.last())?.place, 1000);
  },
  "deletes its beginning with the entries, and keeps the last digest": async (storage) => {
    const { auditChain, audit } = storage;
    const ids = await appended(storage, 4);
    assert.equal(await auditChain.append(sealsOf(ids.slice(0, 3)), at), true);
    const anchor = { place: 1, digest: "digest-1" };
    assert.equal(await auditChain.prune(anchor), 1);
    assert.deepEqual(await auditChain.anchor(), anchor);
    assert.deepEqual(
      (await audit.list({ limit: 10 })).map(({ id }) => id),
      [ids[3], ids[2], ids[1]],
    );
    assert.equal(await auditChain.prune({ place: 3, digest: "digest-3" }), 2);
    assert.deepEqual(await auditChain.anchor(), { place: 3, digest: "digest-3" });
    assert.equal(await auditChain.last(), undefined);
    assert.deepEqual(
      (await audit.list({ limit: 10 })).map(({ id }) => id),
      [ids[3]],
    );
  },
};
