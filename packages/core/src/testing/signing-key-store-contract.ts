import assert from "node:assert/strict";
import type { StoredSigningKey } from "../ports/signing-key-store.ts";
import type { Storage } from "../ports/storage.ts";
import type { Contract } from "./contract.ts";
import { rejectsWith } from "./rejects-with.ts";

const now = 1_800_000_000_000;

const keyNumber = (n: number, changes: Partial<StoredSigningKey> = {}): StoredSigningKey => ({
  kid: `key-${n}`,
  state: "retired",
  publicKey: { kty: "EC", crv: "P-256", x: `x${n}`, y: `y${n}` },
  sealedKey: `sealed ${n}`,
  createdAt: now + n,
  activeFrom: undefined,
  endsAt: undefined,
  ...changes,
});

/** What every `SigningKeyStore` promises, on a fresh storage. */
export const signingKeyStoreContract: Contract<Storage> = {
  "gives back what was saved, oldest first": async ({ signingKeys }) => {
    assert.deepEqual(await signingKeys.list(), []);
    const keys = [
      keyNumber(1, { sealedKey: undefined, activeFrom: now, endsAt: now + 5 }),
      keyNumber(2, { state: "active", sealedKey: "x".repeat(16_384), activeFrom: now + 1 }),
      keyNumber(3, { state: "next", kid: "-_".repeat(32) }),
      keyNumber(3, { kid: "z" }),
    ];
    for (const key of keys.toReversed()) await signingKeys.save(key);
    assert.deepEqual(await signingKeys.list(), keys);
  },
  "tells keys apart by every character of their names": async ({ signingKeys }) => {
    for (const kid of ["a", "A", "-a"]) await signingKeys.save(keyNumber(1, { kid }));
    assert.deepEqual(
      (await signingKeys.list()).map(({ kid }) => kid),
      ["-a", "A", "a"],
    );
  },
  "changes a key under its name": async ({ signingKeys }) => {
    await signingKeys.save(keyNumber(1, { state: "active", activeFrom: now }));
    const changed = keyNumber(1, { endsAt: now + 9, sealedKey: "sealed anew", activeFrom: now });
    await signingKeys.save(changed);
    assert.deepEqual(await signingKeys.list(), [changed]);
  },
  "has one active and one next key at most": async ({ signingKeys }) => {
    for (const state of ["active", "next"] as const) {
      await signingKeys.save(keyNumber(1, { kid: `first ${state}`, state }));
      await rejectsWith("state_conflict", () => signingKeys.save(keyNumber(2, { kid: `second ${state}`, state })));
    }
    await rejectsWith("state_conflict", () => signingKeys.save(keyNumber(1, { kid: "first next", state: "active" })));
    assert.equal((await signingKeys.list()).length, 2);
  },
  "lets one of several that race be the active one": async ({ signingKeys }) => {
    const saves = Array.from({ length: 6 }, (_, n) => signingKeys.save(keyNumber(n, { state: "active" })));
    const results = await Promise.allSettled(saves);
    assert.equal(results.filter(({ status }) => status === "fulfilled").length, 1);
    assert.equal((await signingKeys.list()).length, 1);
  },
  "removes what ended before a moment, and nothing else": async ({ signingKeys }) => {
    const kept = [keyNumber(1, { endsAt: now }), keyNumber(2, { state: "active" }), keyNumber(3, { state: "next" })];
    for (const key of [...kept, keyNumber(4, { endsAt: now - 1 })]) await signingKeys.save(key);
    assert.equal(await signingKeys.removeEnded(now), 1);
    assert.equal(await signingKeys.removeEnded(now), 0);
    assert.deepEqual(await signingKeys.list(), kept);
  },
  "holds the keys, so that of rotations at once none undoes another": async (storage) => {
    await storage.signingKeys.save(keyNumber(0, { state: "active" }));
    const rotate = (n: number): Promise<void> =>
      storage.transaction(async ({ signingKeys }) => {
        const active = (await signingKeys.hold()).find(({ state }) => state === "active");
        assert.ok(active);
        await signingKeys.save({ ...active, state: "retired", endsAt: now });
        await signingKeys.save(keyNumber(n, { state: "active" }));
      });
    await Promise.all([1, 2, 3, 4].map(rotate));
    const keys = await storage.signingKeys.list();
    assert.deepEqual(keys.map(({ state }) => state).toSorted(), ["active", ...Array(4).fill("retired")]);
  },
  "leaves no trace of a transaction that fails": async (storage) => {
    const failing = storage.transaction(async ({ signingKeys }) => {
      await signingKeys.save(keyNumber(1));
      throw new Error("after all that");
    });
    await assert.rejects(failing, /after all that/);
    assert.deepEqual(await storage.signingKeys.list(), []);
  },
};
