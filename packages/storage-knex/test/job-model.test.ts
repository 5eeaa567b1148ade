import { type JobStep, movesOfWalks, rareWalks, twoWritersContract, walkJobModel } from "@postern/core/testing";
import fc from "fast-check";
import { expect, test } from "vitest";
import { onEachDatabase, openStorage, type TestDatabases } from "./databases.ts";

/**
 * Two processes' worth of storages on one new database. Each takes its ids from blocks of its own.
 */
const twoWriters = async ({ fresh, urlOf }: TestDatabases) => {
  const one = await fresh();
  const other = openStorage({ url: urlOf(one) });
  return {
    writers: [one.storage, other.storage] as const,
    close: async () => {
      await other.close();
      await one.close();
    },
  };
};

const isLong = process.env.POSTERN_TEST_LONG === "1";
const walk = fc.array(fc.tuple(fc.nat(14), fc.nat(30), fc.nat(30)), { minLength: 100, maxLength: 200, size: "max" });

/** Walks that are the same each time. With the rare ones, each of them makes every move. */
const sameWalks = [255, 391].flatMap((seed) => fc.sample(walk, { numRuns: 1, seed }));
const examples = [...rareWalks, ...sameWalks].map((steps): [JobStep[]] => [[...steps]]);

onEachDatabase("the queue", (databases) => {
  test("is always as the rules say, and makes every move that they allow", async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(walk, async (steps: readonly JobStep[]) => {
        const { writers, close } = await twoWriters(databases);
        try {
          for (const move of await walkJobModel(writers, steps)) seen.add(move);
        } finally {
          await close();
        }
      }),
      // Each step waits for a commit.
      { numRuns: examples.length + (isLong ? 50 : 4), examples },
    );
    expect([...seen].toSorted()).toEqual(movesOfWalks.toSorted());
  }, 300_000);

  for (const [promise, keep] of Object.entries(twoWritersContract)) {
    test(`shared by two processes ${promise}`, async () => {
      const { writers, close } = await twoWriters(databases);
      await keep(writers);
      await close();
    });
  }
});
