import { spawn } from "node:child_process";
import { once } from "node:events";
import { user } from "@postern/app";
import { idNumber, newEvent } from "@postern/core/testing";
import { expect, test } from "vitest";
import { onEachDatabase, onEachDatabaseItself, withKnex } from "./databases.ts";
import { program } from "./program.ts";

const now = 1_800_000_000_000;

/** Runs a script of `processes/` to its end. Returns the signal that ended it. */
const run = async (script: string, ...args: readonly string[]): Promise<string | number | null> => {
  const child = spawn(process.execPath, [program(script), ...args], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const [code, signal] = await once(child, "exit");
  return signal ?? code;
};

onEachDatabaseItself("a process that is killed between a commit and its answer", (databases) => {
  test("leaves what was committed, nothing else, a free lock, and jobs that can be taken back", async () => {
    const url = await databases.prepared();
    const { storage, liveness } = await databases.fresh({ url });
    expect(await run("accept-and-die", url)).toBe("SIGKILL");

    const [runner] = await storage.runners.live();
    if (runner === undefined) throw new Error("the dead runner is not on the list");
    await expect.poll(() => liveness.isHeld(runner.id), { timeout: 10_000 }).toBe(false);
    expect(await storage.jobRecords.countByState()).toMatchObject({ ready: 1, running: 1 });
    const policy = { now, maxLosses: 3, suspectLosses: 2, delayMs: () => 0 };
    expect(await storage.runners.recover(runner.id, policy)).toEqual({ recovered: 1, dead: [] });
    expect(await storage.jobs.promoteDue(now)).toBe(1);

    const again = await storage.events.accept([newEvent("evt_1"), newEvent("evt_2"), newEvent("evt_3")]);
    expect(again.map(({ outcome }) => outcome)).toEqual(["duplicate", "duplicate", "accepted"]);
    const claimed = await storage.jobs.claim({ runnerId: 1000, queue: "default", limit: 9, now });
    // In the order in which they became ready: the job of the second event was ready before that of
    // the first was taken back.
    expect(claimed.map(({ attempt, losses }) => [attempt, losses])).toEqual([
      [1, 0],
      [2, 1],
      [1, 0],
    ]);
  });
});

onEachDatabase("a process that is killed while it answers under an idempotency key", (databases) => {
  test("leaves effect, audit entry and answer together, or none of them", async () => {
    const url = await databases.prepared();
    const { storage } = await databases.fresh({ url });
    expect(await run("answer-and-die", url)).toBe("SIGKILL");

    const found = async (n: number) => ({
      row: (await storage.resources.find(user, idNumber(n), { where: { all: [] } }, ["id"])) !== undefined,
      answer: (await storage.answers.find(`key-${n}`, 1))?.sealed,
      noted: (await storage.audit.list({ limit: 9 })).some(({ requestId }) => requestId === `key-${n}`),
    });
    expect(await found(1)).toEqual({ row: true, answer: "answer 1", noted: true });
    expect(await found(2)).toEqual({ row: false, answer: undefined, noted: false });
    const claim = () => storage.transaction(({ answers }) => answers.claim("key-2", 1)).catch(() => false);
    await expect.poll(claim, { timeout: 10_000 }).toBe(true);
  });
});

onEachDatabase("a process that is killed while it writes a table of the application's own", (databases) => {
  test("leaves the row and its job, or neither", async () => {
    const url = await databases.prepared();
    await withKnex(url, (db) => db.schema.createTable("orders", (table) => void table.integer("id").primary()));
    const { storage } = await databases.fresh({ url });
    expect(await run("write-own-and-die", url)).toBe("SIGKILL");
    expect(await withKnex(url, async (db) => db("orders"))).toEqual([{ id: 1 }]);
    expect(await storage.jobRecords.countByState()).toMatchObject({ ready: 1 });
  });
});
