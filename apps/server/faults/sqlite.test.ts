import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test, vi } from "vitest";
import { call, eventually, pause, server, temporaryDirectory } from "./server-under-fault.ts";
import { deliver, isLong, outcomeOf, queryOf, report, storm } from "./storm.ts";

vi.setConfig({ testTimeout: isLong ? 3_600_000 : 120_000 });

const databaseIn = (directory: string): string => `sqlite:${join(directory, "data/postern.db")}`;

const expectNothingLost = (
  what: string,
  tally: Parameters<typeof report>[1],
  outcome: Awaited<ReturnType<typeof outcomeOf>>,
) => {
  report(what, tally, outcome);
  expect(outcome).toEqual({ processed: tally.accepted.size, lost: [], doubled: [] });
};

test("kill -9 under load, again and again", async () => {
  const directory = temporaryDirectory();
  const database = databaseIn(directory);
  const one = await server(directory, { DATABASE_URL: database });
  await one.start();
  const load = storm([one.url]);
  const back: number[] = [];
  for (let cycle = 0; cycle < (isLong ? 60 : 4); cycle += 1) {
    await pause(300 + ((cycle * 137) % 500));
    await one.end("SIGKILL");
    const from = performance.now();
    await one.start();
    await eventually("it accepts again", async () => (await deliver(one.url, `probe_${cycle}`)).status === 200, 10_000);
    back.push(performance.now() - from);
  }
  const tally = await load.end();
  const accepted = new Set([...tally.accepted, ...back.map((_, cycle) => `probe_${cycle}`)]);
  expectNothingLost("kill -9 storm on SQLite", { ...tally, accepted }, await outcomeOf(database, accepted));
  const [integrity] = await queryOf(database)("PRAGMA integrity_check");
  expect(integrity).toEqual({ integrity_check: "ok" });
});

/** A limit on the size of files that is lifted later: what a full disk looks like to a process, without a disk to fill. */
const canLimit = process.platform === "linux" && existsSync("/usr/bin/prlimit");

test.skipIf(!canLimit)(
  "a full disk: 503 at once, reads go on, not ready; all well again when there is room",
  async () => {
    const directory = temporaryDirectory();
    const database = databaseIn(directory);
    const one = await server(directory, { DATABASE_URL: database });
    await one.start();
    expect((await deliver(one.url, "evt_first")).status).toBe(200);
    const limit = (bytes: string): void =>
      void execFileSync("prlimit", ["--pid", String(one.pid), `--fsize=${bytes}:unlimited`]);
    limit("200000");
    const load = storm([one.url], { padding: "x".repeat(2_000) });
    await eventually("the disk is full", async () => load.replies.some(({ status }) => status === 503), 20_000);
    await pause(500);
    const full = await deliver(one.url, "evt_full", "push", "x".repeat(100_000));
    expect([full.status, full.retryAfter]).toEqual([503, "1"]);
    expect(full.ms).toBeLessThan(1_000);
    await eventually(
      "it says that it is not ready",
      async () => (await call(`${one.url}/health/ready`)).status === 503,
      5_000,
    );
    expect((await call(`${one.url}/health/live`)).status).toBe(200);
    expect((await call(`${one.url}/api`)).status).toBe(200);
    limit("unlimited");
    const tookMs = await eventually(
      "it is ready",
      async () => (await call(`${one.url}/health/ready`)).status === 200,
      5_000,
    );
    expect((await deliver(one.url, "evt_full", "push", "x".repeat(100_000))).status).toBe(200);
    const tally = await load.end();
    const accepted = new Set([...tally.accepted, "evt_first", "evt_full"]);
    process.stdout.write(`full disk: ready again after ${Math.round(tookMs)} ms\n`);
    expectNothingLost("full disk", { ...tally, accepted }, await outcomeOf(database, accepted));
    const [integrity] = await queryOf(database)("PRAGMA integrity_check");
    expect(integrity).toEqual({ integrity_check: "ok" });
  },
);

test("a wall clock that jumps a day forward and back", async () => {
  const directory = temporaryDirectory();
  const database = databaseIn(directory);
  const preload = fileURLToPath(new URL("./preload-clock.mjs", import.meta.url));
  const one = await server(directory, { DATABASE_URL: database }, { nodeOptions: ["--import", preload] });
  await one.start();
  const load = storm([one.url], { senders: 8 });
  for (let jump = 0; jump < (isLong ? 20 : 4); jump += 1) {
    await pause(400);
    process.kill(one.pid ?? 0, "SIGUSR2");
  }
  const tally = await load.end();
  expectNothingLost("clock jumps", tally, await outcomeOf(database, tally.accepted));
  expect(tally.refused).toBe(0);
});

test("10,000 copies of one event at once, on two processes", async () => {
  const directory = temporaryDirectory();
  const database = databaseIn(directory);
  const one = await server(directory, { DATABASE_URL: database });
  await one.start();
  const two = await server(directory, { DATABASE_URL: database });
  await two.start();
  let sent = 0;
  const statuses = new Map<number, number>();
  const times: number[] = [];
  const copier = async (url: string | undefined): Promise<void> => {
    while (sent < 10_000) {
      sent += 1;
      const { status, ms } = await deliver(url, "evt_1");
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      times.push(ms);
    }
  };
  await Promise.all(Array.from({ length: 64 }, (_, n) => copier(n % 2 === 0 ? one.url : two.url)));
  expect([...statuses]).toEqual([[200, 10_000]]);
  const accepted = new Set(["evt_1"]);
  expectNothingLost("10,000 copies", { sent, accepted, refused: 0 }, await outcomeOf(database, accepted));
  const [row] = await queryOf(database)("SELECT COUNT(*) AS events, SUM(repeats) AS repeats FROM inbox_event");
  expect(row).toEqual({ events: 1, repeats: 9_999 });
  const p99 = times.toSorted((left, right) => left - right)[Math.floor(times.length * 0.99)] ?? 0;
  process.stdout.write(`10,000 copies: p99 ${Math.round(p99)} ms\n`);
});

test("handlers that hang, leak, or kill their process", async () => {
  const directory = temporaryDirectory();
  mkdirSync(join(directory, "data"));
  const database = databaseIn(directory);
  const one = await server(directory, { DATABASE_URL: database });
  await one.start();
  let over = false;
  const supervised = one.superviseUntil(() => over);
  const send = async (id: string, type: string): Promise<void> => {
    await eventually(`${id} is accepted`, async () => (await deliver(one.url, id, type)).status === 200);
  };
  const good = Array.from({ length: 100 }, (_, n) => `good_${n}`);
  await send("hang_1", "hang");
  await Promise.all(good.slice(0, 50).map((id) => send(id, "push")));
  await send("crash_1", "crash");
  for (let n = 0; n < (isLong ? 200 : 20); n += 1) await send(`leak_${n}`, "leak");
  await Promise.all(good.slice(50).map((id) => send(id, "push")));
  const query = queryOf(database);
  const deadAre = async (): Promise<string> => {
    const rows = await query(
      "SELECT e.event_id FROM job j JOIN inbox_event e ON e.id = j.event_ref WHERE j.state = 5 ORDER BY e.event_id",
    );
    return rows.map(({ event_id }) => String(event_id)).join();
  };
  await eventually("the poisonous ones are given up", async () => (await deadAre()) === "crash_1,hang_1", 90_000);
  const accepted = new Set([...good, ...Array.from({ length: isLong ? 200 : 20 }, (_, n) => `leak_${n}`)]);
  const outcome = await outcomeOf(database, accepted);
  over = true;
  const restarts = await supervised;
  process.stdout.write(`bad handlers: the process died ${restarts} times; ${await deadAre()} given up\n`);
  expectNothingLost("bad handlers", { sent: accepted.size, accepted, refused: 0 }, outcome);
  expect(restarts).toBe(3);
});
