import assert from "node:assert/strict";
import type { RefusedDelivery } from "../ports/refusal-store.ts";
import type { Storage } from "../ports/storage.ts";
import type { Contract } from "./contract.ts";
import { idNumber } from "./rows.ts";

const now = 1_800_000_000_000;

const refusalNumber = (n: number, changes: Partial<RefusedDelivery> = {}): RefusedDelivery => ({
  id: idNumber(n),
  at: now + n,
  provider: "stripe",
  reason: "signature_mismatch",
  requestId: `r${n}`,
  address: undefined,
  bytes: 17,
  unkept: 0,
  trace: { scheme: "stripe", valid: false, headers: [], signatures: 1, covered: ["body"] },
  body: undefined,
  ...changes,
});

/** A refusal in which nothing is empty. */
const large = refusalNumber(7, {
  provider: "p".repeat(64),
  reason: "r".repeat(64),
  requestId: "i".repeat(128),
  address: "2001:db8::1",
  bytes: 25 * 1024 * 1024,
  unkept: 999_999,
  trace: {
    scheme: "stripe",
    valid: false,
    code: "signature_mismatch",
    message: "☃".repeat(300),
    hint: "ü\n\u0000".repeat(300),
    headers: Array.from({ length: 30 }, (_, n) => ({ name: `x-${n}`, length: 200, value: "v".repeat(200) })),
    signatures: 5,
    covered: ["body", "header:x-1"],
    content: "{timestamp}.{body}",
    signed: { bytes: 3, sha256: "ab".repeat(32) },
    body: { bytes: 2, sha256: "cd".repeat(32) },
    keys: { tried: 2, named: "k1" },
    time: { signedAt: now, skewSeconds: -3, toleranceSeconds: 300 },
  },
  body: new Uint8Array(64 * 1024).map((_, at) => at % 256),
});

/** What every `RefusalStore` promises, on a fresh storage. */
export const refusalStoreContract: Contract<Storage> = {
  "gives back refusals as they were added": async ({ refusals }) => {
    assert.equal(await refusals.find(idNumber(1)), undefined);
    await refusals.add([], 9);
    await refusals.add([refusalNumber(1), large], 9);
    assert.deepEqual(await refusals.find(idNumber(1)), refusalNumber(1));
    assert.deepEqual(await refusals.find(large.id), large);
  },
  "keeps the newest alone": async ({ refusals }) => {
    const ids = async () => (await refusals.list({ limit: 9 })).map(({ id }) => id);
    await refusals.add(
      [1, 2, 3].map((n) => refusalNumber(n)),
      3,
    );
    assert.deepEqual(await ids(), [3, 2, 1].map(idNumber));
    await refusals.add([refusalNumber(5), refusalNumber(4)], 3);
    assert.deepEqual(await ids(), [5, 4, 3].map(idNumber));
  },
  "lists newest first or oldest first, page by page, by sender, reason and time, and counts": async ({ refusals }) => {
    const github = { provider: "github", reason: "header_missing" };
    await refusals.add(
      [1, 2, 3, 4].map((n) => refusalNumber(n, n === 2 ? github : {})),
      9,
    );
    const ids = async (query: Parameters<typeof refusals.list>[0]) => (await refusals.list(query)).map(({ id }) => id);
    assert.deepEqual(await ids({ limit: 3 }), [4, 3, 2].map(idNumber));
    assert.deepEqual(await ids({ limit: 3, before: idNumber(2) }), [idNumber(1)]);
    assert.deepEqual(await ids({ limit: 2, after: idNumber(1) }), [2, 3].map(idNumber));
    assert.deepEqual(await ids({ limit: 2, after: "" }), [1, 2].map(idNumber));
    assert.deepEqual(await ids({ limit: 9, provider: "github" }), [idNumber(2)]);
    assert.deepEqual(await ids({ limit: 9, reason: "header_missing", provider: "stripe" }), []);
    assert.deepEqual(await ids({ limit: 9, since: now + 2, until: now + 4 }), [3, 2].map(idNumber));
    assert.deepEqual([await refusals.count({}, 9), await refusals.count({}, 3)], [4, 3]);
    assert.equal(await refusals.count({ reason: "signature_mismatch", since: now + 3 }, 9), 2);
  },
  "deletes old ones": async ({ refusals }) => {
    await refusals.add(
      [1, 2, 3, 4].map((n) => refusalNumber(n)),
      9,
    );
    assert.equal(await refusals.prune(now + 4, 2), 2);
    assert.equal(await refusals.prune(now + 4, 2), 1);
    assert.equal(await refusals.prune(now + 4, 2), 0);
    assert.deepEqual(
      (await refusals.list({ limit: 9 })).map(({ id }) => id),
      [idNumber(4)],
    );
  },
  "keeps what several processes add at once": async ({ refusals }) => {
    await Promise.all(Array.from({ length: 12 }, (_, n) => refusals.add([refusalNumber(n + 1)], 8)));
    assert.ok((await refusals.count({}, 99)) >= 8);
    await refusals.add([refusalNumber(20)], 8);
    assert.equal(await refusals.count({}, 99), 8);
  },
};
