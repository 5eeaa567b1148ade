import { memoryStorage } from "@postern/core/memory";
import { type JobStep, jobMoves, rareWalks, walkJobModel } from "@postern/core/testing";
import fc from "fast-check";
import { expect, test } from "vitest";

const step = fc.tuple(fc.nat(14), fc.nat(30), fc.nat(30));

test("the queue in memory is always as the rules say, and makes every move they allow", async () => {
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 20, maxLength: 200, size: "max" }),
      async (steps: readonly JobStep[]) => {
        for (const move of await walkJobModel(memoryStorage(), steps)) seen.add(move);
      },
    ),
    { numRuns: 400, examples: rareWalks.map((steps): [JobStep[]] => [[...steps]]) },
  );
  expect([...seen].toSorted()).toEqual(jobMoves.toSorted());
});
