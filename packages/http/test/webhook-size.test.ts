import { expect, test } from "vitest";
import { webhookSizeCheck } from "../src/body/check-webhook-size.ts";
import { BodyPieces } from "../src/body/read-bytes.ts";

const mostValues = 10;

/** How many bytes of a webhook come before it is refused; `undefined` if it is not. */
const refusedAfter = (text: string, pieceBytes: number): number | undefined => {
  const bytes = new TextEncoder().encode(text);
  const look = webhookSizeCheck(mostValues);
  const pieces = new BodyPieces();
  for (let from = 0; from < bytes.length; from += pieceBytes) {
    const piece = bytes.subarray(from, from + pieceBytes);
    pieces.add(piece);
    try {
      look(piece, pieces);
    } catch (thrown) {
      expect(thrown).toMatchObject({ code: "content_too_large" });
      return pieces.length;
    }
  }
  return undefined;
};

const list = (values: number, rest = ""): string => `[${Array(values).fill("0").join()}${rest}]`;

test.each([1, 7, 1_000])(
  "a webhook in pieces of %d bytes is refused if it holds more values than its bound",
  (pieceBytes) => {
    expect(refusedAfter(list(mostValues - 1), pieceBytes)).toBeUndefined();
    expect(refusedAfter(list(mostValues + 1), pieceBytes)).toBeDefined();
    expect(refusedAfter(`\u{feff}  ${list(mostValues + 1)}`, pieceBytes)).toBeDefined();
    expect(refusedAfter(`${" ".repeat(60)}${list(mostValues + 1)}`, pieceBytes)).toBeDefined();
    expect(refusedAfter(`["${",".repeat(60)}"]`, pieceBytes)).toBeUndefined();
    expect(refusedAfter(`field=${",".repeat(60)}`, pieceBytes)).toBeUndefined();
    expect(refusedAfter(" ".repeat(60), pieceBytes)).toBeUndefined();
  },
);

test("it is refused before the rest of it comes", () => {
  expect(refusedAfter(list(mostValues + 1, " ".repeat(500)), 10)).toBe(20);
});

test("nothing looks at a webhook that is too short to hold that many values", () => {
  expect(refusedAfter(`[${",".repeat(2 * mostValues - 2)}`, 100)).toBeUndefined();
  expect(refusedAfter(`[${",".repeat(2 * mostValues - 1)}`, 100)).toBeDefined();
});
