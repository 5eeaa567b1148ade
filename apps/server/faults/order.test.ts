import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { NewJob } from "@postern/core";
import { createKnexStorage } from "@postern/storage-knex";
import { expect, test, vi } from "vitest";
import { kinds, random } from "./private-databases.ts";
import { eventually, pause, type Scene, type Server, sceneOf } from "./server-under-fault.ts";
import { isLong, judge, queryOf, sqliteUrl } from "./storm.ts";

vi.setConfig({ testTimeout: isLong ? 3_600_000 : 180_000 });

/** How many workers, and how many processes that store jobs, are killed on each database. */
const kills = isLong ? { workers: 250, producers: 250 } : { workers: 5, producers: 8 };
const keys = 12;
/** Enough jobs for each key to show an order, and no more than can end in time. */
const jobsPerKey = { least: 15, most: isLong ? 2_000 : 60 };

/**
 * Each job names what it does before its effect. `fails` fails in its first attempt. `snoozes`
 * snoozes in about every second run. `lingers` goes on after its commit. `dies` is dead if its id
 * is odd; a retry by hand has a new id and so succeeds sooner or later.
 *
 * The effect is a job of a kind that no process has. Its place in the line of its own order key
 * tells when it was committed, over all processes.
 */
const configuration = `
import { Permanent, Snooze, defineJob } from "@postern/server";
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const run = async ({ key, number, act }, context) => {
  const id = Number(context.idempotencyKey.split("-").at(-1));
  if (act === "fails" && context.attempt === 1) throw new Error("not yet");
  if (act === "snoozes" && Date.now() % 2 === 0) throw new Snooze(20);
  if (act === "dies" && id % 2 === 1) throw new Permanent("not by itself");
  await pause(2);
  await context.commit((_rows, { jobs }) => jobs.enqueue(
    [{ kind: "effect", queue: "effects", maxAttempts: 1, orderKey: "seen/" + key, payload: { key, number } }], Date.now()));
  if (act === "lingers") await pause(5);
};
const retry = { delaysMs: Array.from({ length: 200 }, () => 30) };
export default {
  jobs: [
    defineJob("step", run, { retry }),
    defineJob("step.hold", run, { retry, onDead: "hold" }),
    defineJob("step.yield", run, { retry, onRetry: "yield" }),
    defineJob("step.early", run, { retry, release: "commit" }),
  ],
};`;

const producerFile = fileURLToPath(new URL("order-producer.mjs", import.meta.url));

/** The answer of a process that stores jobs. Without an id, the job could not be stored. */
interface Stored {
  readonly order: number;
  readonly id?: number;
}

/** A process that stores jobs and that can be killed. */
interface Producer {
  /** The id of the job once it is committed; `undefined` if the process died before it answered. */
  store(job: NewJob): Promise<number | undefined>;
  kill(): Promise<void>;
  start(): Promise<void>;
}

const producer = (scene: Scene, databaseUrl: string): Producer => {
  const waiting = new Map<number, (id: number | undefined) => void>();
  let orders = 0;
  let child: ChildProcess | undefined;
  let isUp = (): void => undefined;
  /** Jobs wait for it before they are stored. */
  let up: Promise<void>;
  const goDown = (): void => {
    up = new Promise((resolve) => {
      isUp = resolve;
    });
  };
  goDown();

  const kill = async (): Promise<void> => {
    goDown();
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
    // The process died before it answered, so the job may or may not be stored.
    for (const told of waiting.values()) told(undefined);
    waiting.clear();
  };
  const start = async (): Promise<void> => {
    // It starts often, so it runs the built packages, as the workers do.
    const started = fork(producerFile, [databaseUrl], { execArgv: [] });
    child = started;
    started.on("message", ({ order, id }: Stored) => {
      waiting.get(order)?.(id);
      waiting.delete(order);
    });
    // Its first line says that it has started.
    await once(started, "message");
    isUp();
  };
  scene.afterwards(kill);
  return {
    store: async (job) => {
      await up;
      return new Promise((resolve) => {
        orders += 1;
        waiting.set(orders, resolve);
        child?.send({ order: orders, job }, (failed) => {
          if (failed !== null) resolve(undefined);
        });
      });
    },
    kill,
    start,
  };
};

interface Sent {
  /** Absent if the process that stored it was killed before it could answer. */
  readonly id: number | undefined;
  readonly key: string;
  readonly number: number;
  readonly cancelled: boolean;
}

/**
 * What the handlers of a key do. Handlers of one kind share their rules. `free` jobs have
 * priorities instead of an order key.
 */
const plans = [
  { kind: "step", acts: ["plain", "plain", "fails", "snoozes", "lingers"], isOrdered: true },
  { kind: "step.hold", acts: ["plain", "dies", "lingers"], isOrdered: true },
  { kind: "step.early", acts: ["plain", "fails", "lingers"], isOrdered: true },
  { kind: "step.yield", acts: ["plain", "plain", "fails"], isOrdered: false },
  { kind: "step", acts: ["plain", "fails", "lingers"], isOrdered: false, isFree: true },
] as const;

type Draw = () => number;

const oneOf = <Item>(items: readonly Item[], draw: Draw): Item => {
  const item = items[Math.floor(draw() * items.length)];
  if (item === undefined) throw new TypeError("there is nothing to choose from");
  return item;
};

/** Kills processes at random, one at a time, and starts each again. */
const unrest = async (
  { kills: most, betweenMs }: { readonly kills: number; readonly betweenMs: number },
  draw: Draw,
  processes: readonly { kill(): Promise<void>; start(): Promise<void> }[],
): Promise<void> => {
  for (let killed = 0; killed < most; killed += 1) {
    const one = oneOf(processes, draw);
    await pause(betweenMs * (0.5 + draw()));
    await one.kill();
    await pause(draw() * 300);
    await one.start();
  }
};

const judgeOrder = async (scene: Scene, name: string, databaseUrl: string): Promise<void> => {
  const directory = scene.temporaryDirectory();
  const seed = Number(process.env.POSTERN_FAULTS_SEED ?? Math.floor(Math.random() * 1_000_000));
  const draw = random(seed);
  const environment = {
    POSTERN_SECRET_KEY: Buffer.alloc(32, 7).toString("base64"),
    DATABASE_URL: databaseUrl,
    POSTERN_ROLE: "worker",
    POSTERN_JOB_LOSSES: "100",
  };
  // On a busy machine, the killed processes leave little time for the writes of this one.
  const { storage, migrate, close } = createKnexStorage({ url: databaseUrl, writeWaitMs: 60_000 });
  scene.afterwards(close);
  await migrate.latest();
  const workers: Server[] = [];
  for (let count = 0; count < 2; count += 1) {
    workers.push(await scene.server(directory, environment, { configuration }));
  }
  await Promise.all(workers.map((worker) => worker.start()));
  const producers = [producer(scene, databaseUrl), producer(scene, databaseUrl)];
  await Promise.all(producers.map((one) => one.start()));
  const sent: Sent[] = [];
  let over = false;

  /** Stores the jobs of a key one after the other, each through one of the processes. */
  const store = async (key: string, plan: (typeof plans)[number]): Promise<void> => {
    for (let number = 0; number < jobsPerKey.most && !(over && number >= jobsPerKey.least); number += 1) {
      const job: NewJob = {
        kind: plan.kind,
        maxAttempts: 201,
        payload: { key, number, act: oneOf(plan.acts, draw) },
        ...("isFree" in plan ? { priority: Math.floor(draw() * 5) - 2 } : { orderKey: key }),
        ...(plan.kind === "step.hold" ? { onDead: "hold" } : {}),
        ...(plan.kind === "step.yield" ? { onRetry: "yield" } : {}),
      };
      const id = await oneOf(producers, draw).store(job);
      const cancelled =
        id !== undefined && draw() < 0.05 && (await storage.jobRecords.cancel(id, Date.now())) !== undefined;
      sent.push({ id, key, number, cancelled });
      await pause(draw() * 150);
    }
  };

  /** Runs dead jobs again, as an operator would. */
  const retryDead = async (): Promise<number> => {
    const dead = await storage.jobRecords.list({ state: "dead", limit: 1_000 });
    const again = dead.filter(({ holdsTurn }) => holdsTurn);
    for (const { id } of again) await storage.jobRecords.retry(id, Date.now());
    return again.length;
  };
  const byHand = async (): Promise<void> => {
    while (!over) {
      await retryDead();
      await pause(100);
    }
  };

  const names = Array.from({ length: keys }, (_, n) => ({
    key: `key_${n}`,
    plan: plans[n % plans.length] ?? plans[0],
  }));
  const stored = Promise.all(names.map(({ key, plan }) => store(key, plan)));
  const helped = byHand();
  await Promise.all([
    unrest(
      { kills: kills.workers, betweenMs: 950 },
      draw,
      workers.map((worker) => ({ kill: () => worker.end("SIGKILL"), start: () => worker.start() })),
    ),
    ...producers.map((one) => unrest({ kills: kills.producers / producers.length, betweenMs: 600 }, draw, [one])),
  ]);
  over = true;
  await Promise.all([stored, helped]);

  const query = queryOf(databaseUrl);
  await eventually(
    "all jobs have ended",
    async () => {
      // Dead jobs are looked for last: a job that is still open may die, and then it holds its turn.
      const [open] = await query("SELECT COUNT(*) AS jobs FROM job WHERE kind <> 'effect' AND state IN (0, 1, 2, 3)");
      return (await retryDead()) === 0 && Number(open?.jobs) === 0;
    },
    isLong ? 600_000 : 90_000,
  );

  const seen = new Map<string, number[]>();
  for (const row of await query("SELECT payload FROM job WHERE kind = 'effect' ORDER BY order_key, place")) {
    const { key, number } = JSON.parse(String(row.payload)) as { key: string; number: number };
    seen.set(key, [...(seen.get(key) ?? []), number]);
  }
  const lost: string[] = [];
  const doubled: string[] = [];
  for (const { key, plan } of names) {
    const numbers = seen.get(key) ?? [];
    if (plan.isOrdered) {
      expect(numbers, `${key} (${plan.kind}, seed ${seed}) by commit`).toEqual(
        numbers.toSorted((one, other) => one - other),
      );
    }
    for (const one of sent.filter((other) => other.key === key)) {
      const count = numbers.filter((number) => number === one.number).length;
      if (count > 1) doubled.push(`${key}/${one.number}`);
      if (count === 0 && one.id !== undefined && !one.cancelled) lost.push(`${key}/${one.number}`);
    }
  }
  const lanes = await query(
    "SELECT lane.order_key, head_job, state, kind FROM lane LEFT JOIN job ON job.id = head_job WHERE lane.order_key NOT LIKE 'seen/%'",
  );
  expect(lanes, `lanes that are left (seed ${seed})`).toEqual([]);
  // A cancelled job may have had its effect before. A job without an answer may have been stored.
  // All others had their effect exactly once.
  const untold = sent.filter(({ id }) => id === undefined).length;
  const wanted = sent
    .filter(({ id, cancelled }) => id !== undefined && !cancelled)
    .map(({ key, number }) => `${key}/${number}`);
  judge(
    `${name}: order keys, retries, snoozes, holds, yields, cancels and kills`,
    { sent: sent.length, accepted: new Set(wanted), refused: untold },
    { processed: wanted.length - lost.length, lost, doubled },
    `${kills.workers} kills of two workers, ${kills.producers} of two processes that store, seed ${seed}`,
  );
};

test("order holds over killed processes that store jobs and killed workers on SQLite", async (context) => {
  const scene = sceneOf(context);
  const directory = scene.temporaryDirectory();
  mkdirSync(join(directory, "data"));
  await judgeOrder(scene, "SQLite", sqliteUrl(join(directory, "data/postern.db")));
});

test.concurrent.for(kinds)(
  "order holds over killed processes that store jobs and killed workers on $name",
  async ({ name, make }, context) => {
    const scene = sceneOf(context);
    const database = await make(scene);
    await database.start();
    await judgeOrder(scene, name, database.url);
  },
);
