import { user } from "@postern/app";
import { virtualClock } from "@postern/core/memory";
import { idNumber, rejectsWith, userRow } from "@postern/core/testing";
import { expect, test } from "vitest";
import { lineOfWriters } from "../src/server/server-database.ts";
import { mariadb, onMariadb } from "./databases.ts";

const all = { where: { all: [] }, reason: "test" };

test("a network never holds all connections that write, and all together leave two to others", () => {
  for (const [connections, most, mostOfOne] of [
    [10, 8, 7],
    [5, 3, 2],
    [3, 1, 1],
    [1, 1, 1],
  ] as const) {
    const line = lineOfWriters(connections, virtualClock());
    for (let n = 0; n < 20; n += 1) line.takeFree("a");
    expect(line.held).toBe(mostOfOne);
    for (let n = 0; n < 20; n += 1) line.takeFree(`b-${n}`);
    expect(line.held).toBe(most);
  }
});

test("a write that waits for a connection for two seconds is refused, and takes none later", async () => {
  const clock = virtualClock();
  const line = lineOfWriters(1, clock);
  const first = await line.take("a");
  const second = rejectsWith("unavailable", async () => line.take("b"));
  await clock.advance(1_900);
  expect(line.waiting).toBe(1);
  await clock.advance(200);
  expect((await second).headers).toEqual({ "retry-after": "1" });
  first.release();
  expect([line.held, line.waiting]).toEqual([0, 0]);
});

onMariadb("transactions", () => {
  test("of networks leave connections to reads and to writes of Postern itself", async () => {
    const { storage } = await mariadb.fresh({ connections: 3 });
    let finish = (): void => undefined;
    const held = storage.transaction(() => new Promise<void>((resolve) => (finish = resolve)), { network: "a" });
    const waiting = [1, 2].map((id) =>
      storage.transaction(({ resources }) => resources.insert(user, userRow(id)), { network: "a" }),
    );
    await storage.transaction(({ resources }) => resources.insert(user, userRow(3)));
    expect(await storage.resources.find(user, idNumber(3), all)).toBeDefined();
    expect(await storage.resources.find(user, idNumber(1), all)).toBeUndefined();
    finish();
    await Promise.all([held, ...waiting]);
    expect(await storage.resources.find(user, idNumber(2), all)).toBeDefined();
  });

  test("that fail give their connection back", async () => {
    const { storage } = await mariadb.fresh({ connections: 1 });
    await expect(storage.transaction(() => Promise.reject(new Error("no")), { network: "a" })).rejects.toThrow("no");
    expect(await storage.transaction(async () => 1, { network: "a" })).toBe(1);
  });
});
