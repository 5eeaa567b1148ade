import assert from "node:assert/strict";
import type { Storage } from "../ports/storage.ts";
import type { Contract } from "./contract.ts";

const now = 1_800_000_000_000;
const answer = (key: string, sealed = "sealed", expiresAt = now + 1000) => ({ key, sealed, expiresAt });

/**
 * Claims a key and keeps an answer in one transaction, as a write does. Returns whether it got the
 * key.
 */
const store = (storage: Storage, key: string, sealed = "sealed", at = now): Promise<boolean> =>
  storage.transaction(async ({ answers }) => {
    if (!(await answers.claim(key, at))) return false;
    await answers.keep(answer(key, sealed, at + 1000));
    return true;
  });

/** What every `AnswerStore` promises, on a fresh storage. */
export const answerStoreContract: Contract<Storage> = {
  "gives back what was kept, under its own key only": async (storage) => {
    const sealed = "ä€𝒳 ".repeat(30_000);
    assert.equal(await store(storage, "Key", sealed), true);
    assert.deepEqual(await storage.answers.find("Key", now), answer("Key", sealed));
    for (const other of ["key", "Key ", "Ke"]) assert.equal(await storage.answers.find(other, now), undefined);
  },
  "lets a key be claimed once": async (storage) => {
    assert.equal(await store(storage, "a", "first"), true);
    assert.equal(await store(storage, "a", "second"), false);
    assert.equal((await storage.answers.find("a", now))?.sealed, "first");
  },
  "lets one of many that race for a key have it": async (storage) => {
    const results = await Promise.all(Array.from({ length: 12 }, (_, n) => store(storage, "race", `answer ${n}`)));
    assert.equal(results.filter(Boolean).length, 1);
  },
  "forgets a claim whose transaction failed": async (storage) => {
    const failing = storage.transaction(async ({ answers }) => {
      await answers.claim("a", now);
      await answers.keep(answer("a"));
      throw new Error("after all that");
    });
    await assert.rejects(failing, /after all that/);
    assert.equal(await storage.answers.find("a", now), undefined);
    assert.equal(await store(storage, "a"), true);
  },
  "forgets an answer when it expires, and its key is free again": async (storage) => {
    await store(storage, "a", "first");
    assert.equal((await storage.answers.find("a", now + 999))?.sealed, "first");
    assert.equal(await storage.answers.find("a", now + 1000), undefined);
    assert.equal(await store(storage, "a", "second", now + 1000), true);
    assert.equal((await storage.answers.find("a", now + 1000))?.sealed, "second");
  },
  "purges what has expired, a bounded number at a time": async (storage) => {
    for (const key of ["a", "b", "c"]) await store(storage, key);
    await store(storage, "later", "sealed", now + 500);
    assert.equal(await storage.answers.purge(now + 1001, 2), 2);
    assert.equal(await storage.answers.purge(now + 1001, 2), 1);
    assert.equal(await storage.answers.purge(now + 1001, 2), 0);
    assert.ok(await storage.answers.find("later", now));
  },
};
