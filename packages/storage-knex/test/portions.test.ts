import { newEvent } from "@postern/core/testing";
import { describe, expect, test } from "vitest";
import { deletedAtOnce, portionsOf } from "../src/engine/portions.ts";
import { onEachDatabase } from "./databases.ts";

const mebibyte = 1024 * 1024;
const now = 1_800_000_000_000;

describe("rows that are to be deleted", () => {
  const sizes = (bytes: readonly number[]) => portionsOf(bytes, (each) => each, deletedAtOnce);

  test("are divided into portions of at most 200 rows and 4 MiB, in their order", () => {
    expect(sizes([])).toEqual([]);
    expect(sizes(new Array(401).fill(0)).map(({ length }) => length)).toEqual([200, 200, 1]);
    expect(sizes([mebibyte, 3 * mebibyte, 1, 2])).toEqual([
      [mebibyte, 3 * mebibyte],
      [1, 2],
    ]);
  });

  test("are alone if they are longer", () => {
    expect(sizes([1, 9 * mebibyte, 9 * mebibyte, 2])).toEqual([[1], [9 * mebibyte], [9 * mebibyte], [2]]);
  });
});

onEachDatabase("what is deleted after its retention", (databases) => {
  test.each(["bodies", "events"] as const)("large %s: others write and read in between", async (what) => {
    const { storage } = await databases.fresh();
    const body = new Uint8Array(2 * mebibyte).fill(32);
    const count = 16;
    const left = async (): Promise<number> =>
      (await storage.events.list({ limit: 100 })).filter(({ bodyKept }) => bodyKept).length;
    /** How many bodies others saw during a run that deletes all. */
    const seenIn = async (round: number): Promise<ReadonlySet<number>> => {
      for (let n = 0; n < count; n += 1) {
        await storage.events.accept([
          newEvent(`${round}.${n}`, { receivedAt: now - 10, body, disposition: "ignored", reason: "x", jobs: [] }),
        ]);
      }
      const seen = new Set([await left()]);
      let pruned: number | undefined;
      const pruning = storage.housekeeping.prune(what, now, 100).then((count) => {
        pruned = count;
      });
      while (pruned === undefined) seen.add(await left());
      await pruning;
      expect(pruned).toBe(count);
      expect(await left()).toBe(0);
      return seen;
    };
    const isBetween = (each: number): boolean => each > 0 && each < count;
    let seen = await seenIn(0);
    // On a busy machine the database may be done before anybody looks.
    for (let round = 1; round < 5 && ![...seen].some(isBetween); round += 1) seen = await seenIn(round);
    expect([...seen].filter(isBetween).length).toBeGreaterThan(0);
    for (const each of seen) expect(each % 2).toBe(0);
  });
});
