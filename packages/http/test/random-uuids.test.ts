import { expect, test } from "vitest";
import { randomUuids } from "../src/head/request-head.ts";

test("makes UUIDs of version 4, each another, in which every free bit changes", () => {
  const uuid = randomUuids();
  const made = Array.from({ length: 1_000 }, uuid);
  expect(new Set(made).size).toBe(made.length);
  const bytes = made.map((text) => {
    expect(text).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    return Buffer.from(text.replaceAll("-", ""), "hex");
  });
  const free = Array.from({ length: 16 }, (_, at) => (at === 6 ? 0x0f : at === 8 ? 0x3f : 0xff));
  const changing = free.map((_, at) => bytes.reduce((seen, one) => seen | ((one[at] ?? 0) ^ (bytes[0]?.[at] ?? 0)), 0));
  expect(changing).toEqual(free);
});
