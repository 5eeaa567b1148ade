import { memoryPorts } from "@postern/core/memory";
import { expect, test } from "vitest";
import type { Deprecation } from "../src/deprecations/deprecation.ts";
import { createUseCounter } from "../src/deprecations/use-counter.ts";

const deprecation: Deprecation = {
  id: "old-list",
  target: { version: "v1", operation: "users.list" },
  announced: "2026-01-01",
  deprecated: "2026-02-01",
  sunset: "2026-09-01",
  replacement: { version: "v2", operation: "users.list" },
  reason: "It is a bare array.",
  migration: "Use v2.",
};

const scene = () => {
  const ports = memoryPorts();
  const counter = createUseCounter(ports);
  const use = (agent: string, client = "anonymous"): void =>
    counter.count(deprecation, { client, agent, operation: "users.list", kind: "asked" });
  const sums = () => ports.deprecatedUses.sums({ since: "2000-01-01", limit: 1000 });
  return { ports, counter, use, sums };
};

test("of one client, 100 programs are told apart in a day, and no use is lost", async () => {
  const { ports, counter, use, sums } = scene();
  for (let n = 0; n < 150; n += 1) use(`program/${n}`);
  use("program/0");
  use("");
  use("program/149", "user:1");
  await counter.flush();
  const stored = await sums();
  expect(stored.length).toBe(103);
  expect(stored.find(({ agent }) => agent === "other")).toMatchObject({ client: "anonymous", calls: 50 });
  expect(stored.find(({ agent }) => agent === "program/0")?.calls).toBe(2);
  expect(stored.reduce((calls, sum) => calls + sum.calls, 0)).toBe(153);

  await ports.clock.advance(86_400_000);
  use("program/149");
  await counter.flush();
  expect((await sums()).find(({ client, agent }) => client === "anonymous" && agent === "program/149")?.calls).toBe(1);
});

test("of all clients, 20,000 programs are told apart in a day", async () => {
  const { counter, use, sums } = scene();
  for (let client = 0; client < 200; client += 1) {
    for (let n = 0; n < 100; n += 1) use(`program/${n}`, `user:${client}`);
    await counter.flush();
  }
  for (let n = 0; n < 5; n += 1) use(`program/${n}`, "user:200");
  use("program/0", "user:0");
  await counter.flush();
  const stored = await sums();
  expect(stored.filter(({ client }) => client === "user:200")).toMatchObject([{ agent: "other", calls: 5 }]);
  expect(stored.find(({ client, agent }) => client === "user:0" && agent === "program/0")?.calls).toBe(2);
});

test("uses are stored a hundred at a time, and those that could not be stored the next time", async () => {
  const { ports, counter, use, sums } = scene();
  const { add } = ports.deprecatedUses;
  const sizes: number[] = [];
  ports.deprecatedUses.add = (uses) => {
    sizes.push(uses.length);
    return sizes.length === 2 ? Promise.reject(new Error("no database")) : add(uses);
  };
  for (let n = 0; n < 250; n += 1) use(`program/${n % 50}`, `user:${n}`);
  await counter.flush();
  expect(sizes).toEqual([100, 100]);
  expect((await sums()).length).toBe(100);
  await counter.flush();
  expect(sizes.slice(2)).toEqual([100, 50]);
  const stored = await sums();
  expect([stored.length, stored.reduce((calls, sum) => calls + sum.calls, 0)]).toEqual([250, 250]);
});
