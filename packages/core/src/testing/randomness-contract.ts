import assert from "node:assert/strict";
import type { Randomness } from "../ports/randomness.ts";
import type { Contract } from "./contract.ts";

export const randomnessContract: Contract<Randomness> = {
  "gives as many bytes as asked": async (randomness) => {
    for (const length of [1, 16, 1024]) {
      const bytes = randomness.bytes(length);
      assert.ok(bytes instanceof Uint8Array);
      assert.equal(bytes.length, length);
    }
  },
  "refuses lengths out of bounds": async (randomness) => {
    for (const length of [0, -1, 1.5, 1025, Number.NaN]) assert.throws(() => randomness.bytes(length), TypeError);
  },
  "does not repeat itself": async (randomness) => {
    const seen = new Set(Array.from({ length: 1_000 }, () => randomness.bytes(16).join()));
    assert.equal(seen.size, 1_000);
  },
  "keeps bytes it gave out as they are": async (randomness) => {
    const bytes = randomness.bytes(32);
    const copy = bytes.slice();
    randomness.bytes(32);
    assert.deepEqual(bytes, copy);
  },
  "uses the whole range of a byte": async (randomness) => {
    const seen = new Set<number>();
    for (let drawn = 0; drawn < 16; drawn++) for (const byte of randomness.bytes(1024)) seen.add(byte);
    assert.equal(seen.size, 256);
  },
  "spreads fractions over [0, 1)": async (randomness) => {
    const fractions = Array.from({ length: 10_000 }, () => randomness.fraction());
    assert.ok(fractions.every((fraction) => fraction >= 0 && fraction < 1));
    const mean = fractions.reduce((sum, fraction) => sum + fraction, 0) / fractions.length;
    assert.ok(Math.abs(mean - 0.5) < 0.05, `the mean is ${mean}`);
  },
};
