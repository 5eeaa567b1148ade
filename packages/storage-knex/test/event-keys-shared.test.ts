import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { fileOf, openStorage, sqlite, withKnex } from "./databases.ts";
import { program } from "./program.ts";

interface Run {
  readonly child: ChildProcess;
  /** Everything that it has printed so far. */
  readonly printed: () => string;
  readonly ended: Promise<unknown>;
}

const start = (file: string, seed: number): Run => {
  const child = spawn(process.execPath, [program("accept-numbered"), file, String(seed)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  let printed = "";
  child.stdout.on("data", (piece: Buffer) => {
    printed += piece.toString();
  });
  return { child, printed: () => printed, ended: once(child, "close") };
};

/** Lets them begin when all have opened the file. */
const begin = async (...runs: readonly Run[]): Promise<void> => {
  await expect.poll(() => runs.every(({ printed }) => printed().startsWith("open")), { timeout: 60_000 }).toBe(true);
  for (const { child } of runs) child.stdin?.write("go");
};

const takenBy = ({ printed }: Run): number => Number(/^taken (\d+)$/m.exec(printed())?.[1]);

/** Each key has one event, and each event's key is noted. */
const counted = (url: string) =>
  withKnex(url, async (db) => {
    const [row] = await db.raw(
      `SELECT COUNT(*) AS events, COUNT(DISTINCT dedupe_key) AS keys,
        (SELECT COUNT(*) FROM event_key) AS sorted,
        (SELECT COUNT(*) FROM inbox_event WHERE id NOT IN (SELECT event FROM event_key_log UNION SELECT event FROM event_key)) AS lost,
        (SELECT COUNT(*) FROM job) AS jobs
      FROM inbox_event`,
    );
    const [check] = await db.raw("PRAGMA integrity_check");
    return { ...row, check: check.integrity_check };
  });

const migrated = async (): Promise<string> => {
  const url = sqlite.url();
  const { migrate, close } = openStorage({ url });
  await migrate.latest();
  await close();
  return url;
};

test("each of 10,000 events is accepted by one of two processes that get all of them, on one file", {
  timeout: 120_000,
}, async () => {
  const url = await migrated();
  const runs = [start(fileOf(url), 1), start(fileOf(url), 2)];
  await begin(...runs);
  await Promise.all(runs.map(({ ended }) => ended));
  const taken = runs.map(takenBy);
  expect(taken.reduce((sum, each) => sum + each, 0)).toBe(10_000);
  expect(Math.min(...taken)).toBeGreaterThan(0);
  const { sorted, ...rest } = await counted(url);
  expect(rest).toEqual({ events: 10_000, keys: 10_000, lost: 0, jobs: 10_000, check: "ok" });
  expect(sorted).toBeGreaterThan(5000);
});

test("no key is lost when processes are killed between the steps of merges", { timeout: 180_000 }, async () => {
  const url = await migrated();
  const file = fileOf(url);
  for (const [kill, behind] of [400, 900, 1500, 2200, 3100, 4300, 6000].entries()) {
    const run = start(file, kill);
    await begin(run);
    // Some thousands of events after one of the marks, which is somewhere in a merge.
    await expect
      .poll(() => Number(run.printed().trim().split("\n").at(-1)) > behind, { timeout: 60_000, interval: 1 })
      .toBe(true);
    run.child.kill("SIGKILL");
    await run.ended;
    const { events, keys, lost, check } = await counted(url);
    expect([events - keys, lost, check]).toEqual([0, 0, "ok"]);
  }
  const before = await counted(url);
  const last = start(file, 9);
  await begin(last);
  await last.ended;
  expect(takenBy(last)).toBe(10_000 - before.events);
  const { sorted, ...rest } = await counted(url);
  expect(rest).toEqual({ events: 10_000, keys: 10_000, lost: 0, jobs: 10_000, check: "ok" });
  expect(sorted).toBeGreaterThan(0);
});
