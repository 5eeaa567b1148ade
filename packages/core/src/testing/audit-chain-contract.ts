import assert from "node:assert/strict";
import type { Concerned, NewAuditSeal } from "../ports/audit-chain.ts";
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
  "finds the oldest entry without a seal, after what was sealed long ago": async (storage) => {
    const { auditChain } = storage;
    assert.equal(await auditChain.oldestUnsealed(at), undefined);
    const [first = 0, second = 0, third = 0] = await appended(storage, 3);
    assert.equal((await auditChain.oldestUnsealed(at))?.id, first);
    assert.equal(await auditChain.append(sealsOf([second]), at), true);
    // Sealed at this moment, so an entry with a smaller id may still have been committed since.
    assert.equal((await auditChain.oldestUnsealed(at))?.id, first);
    assert.equal((await auditChain.oldestUnsealed(at + 1))?.id, third);
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
  "erases the origins of what an account did, and of what was done without a credential": async (storage) => {
    const { auditChain, audit } = storage;
    const did = (id: string): AuditEntry => ({ ...entry(1), actor: { kind: "user", id } });
    const about = (resource: string, resourceId: string): AuditEntry => ({
      ...{ ...entry(2), actor: { kind: "anonymous" } },
      ...{ resource, resourceId, address: "2001:db8::1" },
    });
    // An operator's name may equal the id of an account.
    const named: AuditEntry = { ...entry(3), actor: { kind: "operator", id: "u1" } };
    const given = [did("u1"), did("u2"), did("u1"), about("session", "s1"), about("grant", "s1"), named, did("u1")];
    for (const one of given) await audit.append(one);
    const ids = (await audit.list({ after: 0, limit: 10 })).map(({ id }) => id);
    const seals = sealsOf(ids.slice(0, 6)).map((seal) => ({ ...seal, salt: `salt-${seal.place}` }));
    assert.equal(await auditChain.append(seals, at), true);
    const found = async (concerned: Concerned, after = 0, limit = 10) =>
      (await auditChain.withOrigin({ ...concerned, after, limit })).map(({ id }) => ids.indexOf(id));
    // The last one has no seal yet.
    assert.deepEqual(await found({ actorId: "u1" }), [0, 2]);
    assert.deepEqual(await found({ actorId: "u1" }, ids[0]), [2]);
    assert.deepEqual(await found({ actorId: "u1" }, 0, 1), [0]);
    assert.deepEqual(await found({ resource: "session", resourceIds: ["s0", "s1"] }), [3]);
    const [first] = await auditChain.withOrigin({ actorId: "u1", after: 0, limit: 1 });
    const [bare] = sealsOf(ids);
    assert.deepEqual(first, {
      ...{ ...did("u1"), id: ids[0] },
      seal: { place: bare?.place, digest: bare?.digest, salt: "salt-1" },
    });
    const erased = { address: "erased:x", requestId: "erased" };
    await auditChain.eraseOrigins([ids[0] ?? 0, ids[3] ?? 0].map((entryId) => ({ entryId, ...erased })));
    assert.deepEqual(await found({ actorId: "u1" }), [2]);
    assert.deepEqual(await found({ resource: "session", resourceIds: ["s1"] }), []);
    const [changed, kept] = await auditChain.list({ after: 0, limit: 2 });
    const seal = { place: 1, digest: "digest-1" };
    assert.deepEqual(changed, {
      ...{ ...seal, entryId: ids[0] },
      entry: { ...did("u1"), ...erased, id: ids[0], seal },
    });
    assert.equal(kept?.salt, "salt-2");
    assert.equal((await audit.list({ after: 0, limit: 1 }))[0]?.address, "erased:x");
  },
  "keeps how far each task got": async ({ auditChain }) => {
    assert.equal(await auditChain.progress("one"), undefined);
    await auditChain.keepProgress("one", "x".repeat(4_000));
    await auditChain.keepProgress("two", "2");
    await auditChain.keepProgress("one", "1");
    assert.deepEqual([await auditChain.progress("one"), await auditChain.progress("two")], ["1", "2"]);
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
