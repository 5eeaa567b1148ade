import assert from "node:assert/strict";
import type { Storage } from "../ports/storage.ts";
import type { Contract } from "./contract.ts";

const now = 1_800_000_000_000;

/** What every `ForwardStore` promises, on a fresh storage. */
export const forwardStoreContract: Contract<Storage> = {
  "keeps what targets answered, newest first, and gives it back as it was": async (storage) => {
    const id = 7;
    const attempt = {
      eventId: id,
      handler: "forward:a",
      attempt: 1,
      at: now,
      ms: 12,
      status: 503,
      headers: { "retry-after": "3" },
      body: "später \u{1f4a5}",
      error: undefined,
    };
    const silent = { ...attempt, attempt: 2, status: undefined, headers: {}, body: "", error: "no answer" };
    await storage.forwards.keep([attempt, silent]);
    await storage.forwards.keep([]);
    assert.deepEqual(await storage.forwards.list(id, 10), [silent, attempt]);
    assert.deepEqual(await storage.forwards.list(id, 1), [silent]);
    assert.deepEqual(await storage.forwards.list(id + 1, 10), []);
  },
};
