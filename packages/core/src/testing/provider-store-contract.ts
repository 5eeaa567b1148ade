import assert from "node:assert/strict";
import type { StoredProvider, StoredProviderKey } from "../ports/provider-store.ts";
import type { Storage } from "../ports/storage.ts";
import type { Contract } from "./contract.ts";
import { rejectsWith } from "./rejects-with.ts";
import { idNumber } from "./rows.ts";

const now = 1_800_000_000_000;

const keyNumber = (n: number, changes: Partial<StoredProviderKey> = {}): StoredProviderKey => ({
  id: idNumber(1000 + n),
  keyId: undefined,
  sealedKey: `sealed key ${n}`,
  notBefore: now,
  notAfter: undefined,
  ...changes,
});

const providerNumber = (n: number, changes: Partial<StoredProvider> = {}): StoredProvider => ({
  id: idNumber(n),
  name: `sender-${n}`,
  scheme: "standard-webhooks",
  toleranceSeconds: undefined,
  allowShort: false,
  dedupe: undefined,
  headers: [],
  replayOnResend: false,
  keepRefusedBodies: false,
  jwksUrl: undefined,
  schemas: undefined,
  sealedSettings: undefined,
  keys: [],
  ...changes,
});

/** What every `ProviderStore` promises, on a fresh storage. */
export const providerStoreContract: Contract<Storage> = {
  "gives back what was saved, by its exact name": async ({ providers }) => {
    const whole = providerNumber(1, {
      toleranceSeconds: 300,
      allowShort: true,
      dedupe: { by: "body", windowSeconds: 600, without: ["sent_at"] },
      headers: ["x-shop", "x-acme-*"],
      replayOnResend: true,
      keepRefusedBodies: true,
      jwksUrl: "https://sender.example/keys",
      schemas: { "a.*": { type: "object" } },
      sealedSettings: "ä€𝒳 ".repeat(3_000),
      keys: [
        keyNumber(1, { notAfter: now + 1, sealedKey: "x".repeat(16_384) }),
        keyNumber(2, { keyId: "key ä", notBefore: now + 123 }),
      ],
    });
    await providers.save(whole, now);
    await providers.save(providerNumber(2), now);
    assert.deepEqual(await providers.find("sender-1"), whole);
    assert.deepEqual(await providers.find("sender-2"), providerNumber(2));
    for (const other of ["Sender-1", "sender-1 ", "sender"]) assert.equal(await providers.find(other), undefined);
  },
  "lists providers and their keys oldest first": async ({ providers }) => {
    assert.deepEqual(await providers.list(), []);
    const [first, second] = [providerNumber(1, { keys: [keyNumber(1), keyNumber(2)] }), providerNumber(2)];
    await providers.save(second, now);
    await providers.save({ ...first, keys: first.keys.toReversed() }, now);
    assert.deepEqual(await providers.list(), [first, second]);
  },
  "replaces a provider and its keys as a whole": async ({ providers }) => {
    await providers.save(providerNumber(1, { sealedSettings: "old", keys: [keyNumber(1), keyNumber(2)] }), now);
    const changed = providerNumber(1, {
      jwksUrl: "https://sender.example/keys",
      keys: [keyNumber(2, { notAfter: now + 5 }), keyNumber(3)],
    });
    await providers.save(changed, now + 1);
    assert.deepEqual(await providers.list(), [changed]);
  },
  "refuses a name that another provider has, and changes nothing then": async ({ providers }) => {
    const first = providerNumber(1, { keys: [keyNumber(1)] });
    await providers.save(first, now);
    const second = providerNumber(2, { name: first.name, keys: [keyNumber(2)] });
    const { faults } = await rejectsWith("conflict", () => providers.save(second, now));
    assert.deepEqual(
      faults.map((fault) => "pointer" in fault && fault.pointer),
      ["/name"],
    );
    assert.deepEqual(await providers.list(), [first]);
  },
  "lets one of several that race for a name have it": async ({ providers }) => {
    const saves = Array.from({ length: 6 }, (_, n) => providers.save(providerNumber(n, { name: "same" }), now));
    const results = await Promise.allSettled(saves);
    assert.equal(results.filter(({ status }) => status === "fulfilled").length, 1);
    const refused = results.find((result) => result.status === "rejected");
    await rejectsWith("conflict", () => Promise.reject(refused?.reason));
    assert.equal((await providers.list()).length, 1);
  },
  "removes a provider with its keys, and frees its name": async ({ providers }) => {
    await providers.save(providerNumber(1, { keys: [keyNumber(1)] }), now);
    assert.equal(await providers.remove("sender-2"), false);
    assert.equal(await providers.remove("sender-1"), true);
    assert.equal(await providers.find("sender-1"), undefined);
    await providers.save(providerNumber(2, { name: "sender-1", keys: [keyNumber(1)] }), now);
    assert.deepEqual((await providers.find("sender-1"))?.keys, [keyNumber(1)]);
  },
  "leaves no trace of a transaction that fails": async (storage) => {
    const first = providerNumber(1, { keys: [keyNumber(1)] });
    await storage.providers.save(first, now);
    const failing = storage.transaction(async ({ providers }) => {
      await providers.save({ ...first, keys: [keyNumber(2)] }, now);
      await providers.save(providerNumber(2), now);
      throw new Error("after all that");
    });
    await assert.rejects(failing, /after all that/);
    assert.deepEqual(await storage.providers.list(), [first]);
  },
  "holds a provider, so that no change of two at once is lost": async (storage) => {
    await storage.providers.save(providerNumber(1), now);
    const add = (n: number): Promise<void> =>
      storage.transaction(async ({ providers }) => {
        const held = await providers.hold("sender-1");
        assert.ok(held);
        await providers.save({ ...held, keys: [...held.keys, keyNumber(n)] }, now + n);
      });
    await Promise.all(Array.from({ length: 5 }, (_, n) => add(n)));
    assert.equal((await storage.providers.find("sender-1"))?.keys.length, 5);
    assert.equal(await storage.transaction(({ providers }) => providers.hold("none")), undefined);
  },
};
