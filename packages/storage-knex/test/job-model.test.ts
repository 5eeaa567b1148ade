import { type JobStep, jobMoves, rareWalks, walkJobModel } from "@postern/core/testing";
import fc from "fast-check";
import { expect, test } from "vitest";
import { onEachDatabase } from "./databases.ts";

const step = fc.tuple(fc.nat(14), fc.nat(30), fc.nat(30));

onEachDatabase("the queue", ({ fresh, name }) => {
  test("is always as the rules say, and makes every move they allow", async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 100, maxLength: 200, size: "max" }),
        async (steps: readonly JobStep[]) => {
          const { storage, close } = await fresh();
          try {
            for (const move of await walkJobModel(storage, steps)) seen.add(move);
          } finally {
            await close();
          }
        },
      ),
      // Each step waits for a commit.
      { numRuns: name === "SQLite" ? 30 : 20, examples: rareWalks.map((steps): [JobStep[]] => [[...steps]]) },
    );
    expect([...seen].toSorted()).toEqual(jobMoves.toSorted());
  }, 120_000);
});
