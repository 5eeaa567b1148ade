import { newEvent } from "@postern/core/testing";
import { expect, test } from "vitest";
import { createServerWatch } from "../src/server/server-watch.ts";
import { onEachDatabase, withKnex } from "./databases.ts";

const now = 1_800_000_000_000;

onEachDatabase("a database that has gone back in time", (databases) => {
  const scene = async () => {
    const opened = await databases.fresh();
    const { storage } = opened;
    for (const key of ["a", "b"]) await storage.events.accept([newEvent(key)]);
    const goBack = () =>
      withKnex(databases.urlOf(opened), async (db) => {
        await db("id_block").update({ next: 1 });
        await db("job").where("id", ">", 1).delete();
      });
    return { storage, goBack };
  };

  test("is noticed by a look, and new numbers are above all that are stored", async () => {
    const { storage, goBack } = await scene();
    await storage.past.look();
    expect(storage.past.setbacks()).toBe(0);
    await goBack();
    await storage.past.look();
    expect(storage.past.setbacks()).toBe(1);
    await storage.past.look();
    expect(storage.past.setbacks()).toBe(1);
    const [event] = await storage.events.accept([newEvent("c")]);
    expect(event).toEqual({ outcome: "accepted", id: 3 });
    expect(await storage.jobs.enqueue([{ kind: "log", maxAttempts: 3 }], now)).toEqual([3]);
    await storage.past.look();
    expect(storage.past.setbacks()).toBe(1);
  });

  test("is noticed when numbers are reserved", async () => {
    const { storage, goBack } = await scene();
    await goBack();
    // More than are left of the block.
    const jobs = Array.from({ length: 10_000 }, () => ({ kind: "log", maxAttempts: 3 }));
    const ids = await storage.jobs.enqueue(jobs, now);
    expect(ids[0]).toBeGreaterThan(1);
    expect(storage.past.setbacks()).toBe(1);
  });
});

/** Connections to servers, each with the second in which it is opened, and whether that is news. */
const meetings: readonly [
  what: string,
  ...steps: [at: number, server: string, startedAt: number, isNews: boolean][],
][] = [
  ["the first server, and again", [0, "a", 0, false], [50, "a", 0, false]],
  ["another server", [0, "a", 0, false], [1, "b", 0, true]],
  ["two servers in turns", [0, "a", 0, false], [1, "b", 0, true], [2, "a", 0, false], [3, "b", 0, false]],
  ["a server that comes back after minutes", [0, "a", 0, false], [1, "b", 0, true], [300, "a", 0, true]],
  ["a server that was started again", [100, "a", 0, false], [130, "a", 120, true], [131, "a", 120, false]],
  ["a start that is measured with noise", [100, "a", 50, false], [101, "a", 51, false], [102, "a", 49, false]],
];

test.for(meetings)("connections tell of %s", ([, ...steps]) => {
  let second = 0;
  let told = 0;
  const watch = createServerWatch(() => second * 1_000);
  watch.onOther(() => {
    told += 1;
  });
  for (const [at, server, startedAt, isNews] of steps) {
    second = at;
    const before = told;
    watch.opened({}, { server, startedAt: startedAt * 1_000 });
    expect(told - before, `${server} in second ${at}`).toBe(Number(isNews));
  }
});

test("a server whose connections are in use is no other server, however long ago they were opened", () => {
  let second = 0;
  let told = 0;
  const watch = createServerWatch(() => second * 1_000);
  watch.onOther(() => {
    told += 1;
  });
  const connection = {};
  watch.opened(connection, { server: "a", startedAt: 0 });
  for (; second < 600; second += 30) watch.used(connection);
  watch.opened({}, { server: "a", startedAt: 0 });
  expect(told).toBe(0);
});
