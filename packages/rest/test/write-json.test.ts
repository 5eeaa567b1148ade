import { createLongWork } from "@postern/core/internal";
import { expect, test } from "vitest";
import { writeJson } from "../src/operations/write-json.ts";
import { slowClock } from "./slow-clock.ts";

const row = (n: number) => ({
  id: `row-${n}`,
  title: 'a "title"',
  body: "é".repeat(50_000),
  tags: [],
  gone: undefined,
});
const long = Array.from({ length: 20 }, (_, n) => row(n));

const settled = () => new Promise((resolve) => setImmediate(resolve));

test.each([
  ["a page", { data: long, page: { has_more: false }, absent: undefined }],
  ["a list alone", long],
])("writes %s as JSON.stringify does, and pauses in between", async (_what, body) => {
  const clock = slowClock();
  const written = writeJson(createLongWork(clock), "a", body);
  let pauses = 0;
  while (clock.waiting.length > 0) {
    pauses += 1;
    clock.waiting.shift()?.();
    await settled();
  }
  expect(await written).toBe(JSON.stringify(body));
  expect(pauses).toBeGreaterThan(2);
});

test.each([[{ data: [row(1)] }], [{ id: "1" }], [[]], ["text"], [null]])("writes what is short at once", (body) => {
  expect(writeJson(createLongWork(slowClock()), "a", body)).toBe(JSON.stringify(body));
});
