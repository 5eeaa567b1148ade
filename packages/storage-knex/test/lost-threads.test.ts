import { Worker } from "node:worker_threads";
import { user } from "@postern/app";
import { idNumber, userRow } from "@postern/core/testing";
import { afterEach, expect, test, vi } from "vitest";
import { loadDriver } from "../src/sqlite/driver/load-driver.ts";
import { sqlite } from "./databases.ts";
import { sqliteDriver } from "./sqlite-driver.ts";

const all = { where: { all: [] }, reason: "test" };
const { name } = await loadDriver(sqliteDriver);

afterEach(() => vi.restoreAllMocks());

/** The threads that connections started from now on. */
const threads = (): ReadonlySet<Worker> => {
  const started = new Set<Worker>();
  const { unref } = Worker.prototype;
  vi.spyOn(Worker.prototype, "unref").mockImplementation(function (this: Worker) {
    started.add(this);
    return unref.call(this);
  });
  return started;
};

test.skipIf(name === "sqlite3")(
  "threads that die lose nothing that was acknowledged, and others take over",
  async () => {
    const started = threads();
    const { storage } = await sqlite.fresh();
    const acknowledged: number[] = [];
    const refused: unknown[] = [];
    for (let round = 0; round < 3; round += 1) {
      const from = round * 100 + 1;
      const writes = Array.from({ length: 100 }, (_, n) => from + n).map((n) =>
        storage.resources.insert(user, userRow(n)).then(
          () => acknowledged.push(n),
          (thrown: unknown) => refused.push(thrown),
        ),
      );
      const reads = Array.from({ length: 20 }, () =>
        storage.resources.find(user, idNumber(1), all).catch((thrown: unknown) => refused.push(thrown)),
      );
      await storage.resources.find(user, idNumber(1), all).catch(() => undefined);
      await Promise.all([...started].map((thread) => thread.terminate()));
      await Promise.all([...writes, ...reads]);
      // The next ones succeed at once: lost connections are replaced, not waited for.
      await storage.resources.insert(user, userRow(10_000 + round));
      expect(await storage.resources.find(user, idNumber(10_000 + round), all)).toBeDefined();
    }
    for (const thrown of refused) expect(thrown).toMatchObject({ code: "unavailable" });
    for (const n of acknowledged) expect(await storage.resources.find(user, idNumber(n), all)).toBeDefined();
  },
);
