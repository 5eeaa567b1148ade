import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { aesSecretBox } from "../src/index.ts";

const secretKey = new Uint8Array(32).fill(7);
const newKey = new Uint8Array(32).fill(8);

describe("aesSecretBox", () => {
  test("opens what an earlier release sealed: known text", async () => {
    const known = "a1.tsA-8Ns2.rCgTI8GdBwUjGmI0TUEDbmjFUoBly8-Uyq3IrCmj3E0B9Ov-hzvn";
    expect(await aesSecretBox({ secretKey }).open(known, "endpoint 7")).toBe("whsec_known");
  });

  test("seals the same secret differently each time, under the key id of the configuration", async () => {
    const box = aesSecretBox({ secretKey });
    const [one, two] = [await box.seal("s", "c"), await box.seal("s", "c")];
    expect(one).not.toBe(two);
    expect(one.slice(0, 12)).toBe(two.slice(0, 12));
  });

  test("opens under a previous key, and seals under the new one", async () => {
    const old = await aesSecretBox({ secretKey }).seal("s", "c");
    const box = aesSecretBox({ secretKey: newKey, previousSecretKeys: [secretKey] });
    expect(await box.open(old, "c")).toBe("s");
    const sealed = await box.seal("s", "c");
    expect(await aesSecretBox({ secretKey: newKey }).open(sealed, "c")).toBe("s");
    await expect(aesSecretBox({ secretKey: newKey }).open(old, "c")).rejects.toThrow("a key that is not known here");
  });

  test("digests by SHA-256 (FIPS 180-4, `abc`)", async () => {
    const known = Buffer.from("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", "hex");
    const digest = await aesSecretBox({ secretKey }).digest("abc");
    expect(digest).toBe(known.toString("base64url"));
    expect(digest).toBe(createHash("sha256").update("abc").digest("base64url"));
  });

  test("digests a long text in several turns, and characters beyond the first plane as a whole", async () => {
    const text = `a${"😀".repeat(1_000_000)}`;
    let turns = 0;
    let isOver = false;
    const count = (): void => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    count();
    const digest = await aesSecretBox({ secretKey }).digest(text);
    isOver = true;
    expect(digest).toBe(createHash("sha256").update(text).digest("base64url"));
    expect(turns).toBeGreaterThan(3);
  });

  test("refuses a secret key of another length", () => {
    expect(() => aesSecretBox({ secretKey: new Uint8Array(16) })).toThrow(TypeError);
  });
});
