import { expect, test } from "vitest";
import { BodyPieces } from "../src/body/read-bytes.ts";

test("many tiny pieces take no more memory than twice their bytes", () => {
  const pieces = new BodyPieces();
  const sent = Buffer.alloc(100_000, "the bytes of a body ");
  for (const byte of sent) pieces.add(Buffer.of(byte));
  expect(Buffer.from(pieces.whole()).equals(sent)).toBe(true);
  expect(pieces.whole().buffer.byteLength).toBeLessThanOrEqual(2 * sent.length);
});

test("pieces of any length, none included, come together in their order", () => {
  const pieces = new BodyPieces();
  const sent = [0, 1, 1023, 0, 1, 1500, 7, 70_000].map((length, index) => Buffer.alloc(length, index));
  for (const piece of sent) pieces.add(piece);
  expect(Buffer.from(pieces.whole()).equals(Buffer.concat(sent))).toBe(true);
});

test("a body that comes in one piece is not copied", () => {
  const pieces = new BodyPieces();
  const only = Buffer.from("all of it");
  pieces.add(only);
  expect(pieces.whole().buffer).toBe(only.buffer);
});

test("a body without pieces is empty", () => {
  expect(new BodyPieces().whole()).toHaveLength(0);
});
