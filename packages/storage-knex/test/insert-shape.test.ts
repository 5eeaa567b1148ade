import { expect, test } from "vitest";
import { insertChunks, shapeOf } from "../src/mysql/insert-shape.ts";

const rowsOf = (count: number) => Array.from({ length: count }, (_, at) => at);

test("a statement binds neither what is NULL in all rows nor a 0 that they share", () => {
  const { columns, expressions, valuesOf } = shapeOf(
    ["id", "type", "state", "due", "lost", "kind"],
    [
      [1, null, 0, null, 0, "a"],
      [0, null, 1, 7, 0, ""],
    ],
  );
  expect(columns).toEqual(["id", "state", "due", "lost", "kind"]);
  expect(expressions).toEqual(["?", "?", "?", "0", "?"]);
  expect(valuesOf([0, null, 1, 7, 0, ""])).toEqual([0, 1, 7, ""]);
  expect(valuesOf([1, null, 0, null, 0, "a"])).toEqual([1, 0, null, "a"]);
});

test("any number of rows up to 64 takes one statement or two, of fifteen lengths in all", () => {
  const lengths = new Set<number>();
  for (let count = 1; count <= 64; count += 1) {
    const chunks = insertChunks(rowsOf(count), () => 1000);
    expect(chunks.flat()).toEqual(rowsOf(count));
    expect(chunks.length).toBeLessThanOrEqual(2);
    for (const chunk of chunks) lengths.add(chunk.length);
  }
  expect(lengths.size).toBe(15);
});

test("rows that are too large for one statement are spread over several", () => {
  const chunks = insertChunks(rowsOf(9), () => 1024 * 1024);
  expect(chunks.map(({ length }) => length)).toEqual([3, 3, 3]);
  expect(insertChunks(rowsOf(2), () => 9 * 1024 * 1024).map(({ length }) => length)).toEqual([1, 1]);
});
