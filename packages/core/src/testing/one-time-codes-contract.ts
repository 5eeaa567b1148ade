import assert from "node:assert/strict";
import type { OneTimeCodes } from "../ports/one-time-codes.ts";
import type { Contract } from "./contract.ts";

const secret = new TextEncoder().encode("12345678901234567890");
const stepSeconds = 30;

export const oneTimeCodesContract: Contract<OneTimeCodes> = {
  "gives the codes of RFC 4226, appendix D": async (codes) => {
    const expected = [
      "755224",
      "287082",
      "359152",
      "969429",
      "338314",
      "254676",
      "287922",
      "162583",
      "399871",
      "520489",
    ];
    const given = await Promise.all(expected.map((_, counter) => codes.code(secret, counter)));
    assert.deepEqual(given, expected);
  },
  "gives the codes of RFC 6238, appendix B, of which six digits are the last of eight": async (codes) => {
    const vectors: readonly (readonly [number, string])[] = [
      [59, "94287082"],
      [1_111_111_109, "07081804"],
      [1_111_111_111, "14050471"],
      [1_234_567_890, "89005924"],
      [2_000_000_000, "69279037"],
      [20_000_000_000, "65353130"],
    ];
    for (const [seconds, digits] of vectors) {
      assert.equal(await codes.code(secret, Math.floor(seconds / stepSeconds)), digits.slice(2), String(seconds));
    }
  },
  "takes secrets of any length": async (codes) => {
    for (const length of [1, 20, 64, 65, 200]) {
      const one = new Uint8Array(length).fill(7);
      assert.match(await codes.code(one, 1), /^\d{6}$/);
      assert.equal(await codes.code(one, 1), await codes.code(Uint8Array.from(one), 1));
    }
  },
};
