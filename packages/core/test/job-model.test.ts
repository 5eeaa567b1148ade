import type { Storage } from "@postern/core";
import { memoryWriters } from "@postern/core/memory";
import { type JobStep, movesOfWalks, rareWalks, twoWritersContract, walkJobModel } from "@postern/core/testing";
import fc from "fast-check";
import { expect, test } from "vitest";

const twoWriters = (): readonly [Storage, Storage] => {
  const [one, other] = memoryWriters(2);
  if (one === undefined || other === undefined) throw new Error("two writers were asked for");
  return [one, other];
};

const step = fc.tuple(fc.nat(14), fc.nat(30), fc.nat(30));

test("the queue in memory is always as the rules say, and makes every move they allow", async () => {
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 20, maxLength: 200, size: "max" }),
      async (steps: readonly JobStep[]) => {
        for (const move of await walkJobModel(twoWriters(), steps)) seen.add(move);
      },
    ),
    { numRuns: 200, examples: rareWalks.map((steps): [JobStep[]] => [[...steps]]) },
  );
  expect([...seen].toSorted()).toEqual(movesOfWalks.toSorted());
}, 60_000);

for (const [promise, keep] of Object.entries(twoWritersContract)) {
  test(`two processes that share the memory: ${promise}`, () => keep(twoWriters()));
}
