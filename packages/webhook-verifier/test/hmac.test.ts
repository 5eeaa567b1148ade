import { createHash, createHmac } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { openSecret } from "../src/platform/node.ts";

const hashes = ["sha1", "sha256", "sha384", "sha512"] as const;
const piece = fc.oneof(fc.string({ unit: "binary", maxLength: 80 }), fc.uint8Array({ maxLength: 300 }));

test("codes of every length of key and message are those of createHmac", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...hashes),
      fc.uint8Array({ minLength: 1, maxLength: 300 }),
      fc.array(piece, { maxLength: 5 }),
      (name, secret, pieces) => {
        const state = createHmac(name, secret);
        for (const one of pieces) state.update(one);
        const key = openSecret(secret, `hmac-${name}`);
        const code = state.digest();
        expect(key.sign(pieces)).toEqual(code);
        expect(key.holds([{ bytes: code }], pieces)).toBe(true);
        expect(key.holds([{ bytes: code.map((byte) => byte ^ 1) }, { bytes: code.subarray(1) }], pieces)).toBe(false);
      },
    ),
    { numRuns: 2000 },
  );
});

test("codes are right for messages around the longest one that is hashed in one call", () => {
  for (const name of hashes)
    for (const length of [
      16_000,
      16_383,
      16_384 - 128,
      16_384 - 127,
      16_384 - 64,
      16_384 - 63,
      16_384,
      16_385,
      100_000,
    ])
      for (const body of [Buffer.alloc(length, 7), "ü".repeat(length / 2), "x".repeat(length / 3)]) {
        const expected = createHmac(name, "key").update("1.").update(body).digest();
        expect(openSecret(Buffer.from("key"), `hmac-${name}`).sign(["1.", body])).toEqual(expected);
      }
});

test("keys that are used in turn do not disturb each other", () => {
  const [one, two] = [openSecret(Buffer.from("one"), "hmac-sha256"), openSecret(Buffer.from("two"), "hmac-sha512")];
  const [first, second] = [one.sign(["long ".repeat(100)]), two.sign(["short"])];
  expect(one.sign(["long ".repeat(100)])).toEqual(first);
  expect(two.sign(["short"])).toEqual(second);
});

test("a plain hash of secret and content is right wherever the secret stands, and however long the content", () => {
  for (const length of [0, 5, 16_384, 50_000]) {
    const content = Buffer.alloc(length, 1);
    for (const [algorithm, name, parts] of [
      ["sha256-prefix", "sha256", ["secret", "a", content]],
      ["sha256-infix", "sha256", ["a", "secret", content]],
      ["sha256-suffix", "sha256", ["a", content, "secret"]],
      ["sha1-suffix", "sha1", ["a", content, "secret"]],
    ] as const) {
      const expected = createHash(name);
      for (const part of parts) expected.update(part);
      expect(openSecret(Buffer.from("secret"), algorithm).sign(["a", content])).toEqual(expected.digest());
    }
  }
});
