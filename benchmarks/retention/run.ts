/**
 * How fast retention deletes, with the server for itself and beside 500 webhooks a second; see
 * README.md. From the root:
 *
 * `node --conditions=@postern/source --import tsx benchmarks/retention/run.ts [--events 700000]
 * [--only sqlite,postgres,mariadb] [--folder /a/disk] [--check]`. With `--check` it exits with 1 below
 * a goal.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { createHmac, randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { allParts, resourcesOfParts } from "@postern/app";
import type { Storage } from "@postern/core";
import { createKnexStorage, type KnexStorage } from "@postern/storage-knex";
import { newEvent } from "../inbox/new-event.ts";
import { statement } from "./statement.ts";

const { values } = parseArgs({
  options: {
    events: { type: "string", default: "700000" },
    only: { type: "string", default: "sqlite,postgres,mariadb" },
    folder: { type: "string", default: tmpdir() },
    check: { type: "boolean", default: false },
  },
});
const events = Number(values.events);
const secret = "whsec_benchmark_secret_of_a_good_length";
const key = Buffer.alloc(32, 7).toString("base64");
const dayMs = 86_400_000;
const perSecond = 500;
const baselineMs = 20_000;
const goals = { idle: 2_000, beside: 1_000, p99: 2, minutes: (12 * events) / 700_000 };

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Events that came 40 days ago, each with a job that is done. Returns the largest id. */
const fill = async ({ events: inbox, jobs }: Storage, count: number): Promise<number> => {
  const receivedAt = Date.now() - 40 * dayMs;
  let last = 0;
  for (let made = 0; made < count; made += 1_000) {
    const batch = Array.from({ length: Math.min(1_000, count - made) }, (_, at) => ({
      ...newEvent(`invoice.${at % 20}`),
      receivedAt: receivedAt + made + at,
    }));
    for (const { id } of await inbox.accept(batch)) last = Math.max(last, id);
    const claimed = await jobs.claim({ runnerId: 1_000_000, queue: "default", limit: 1_000, now: Date.now() });
    await jobs.finish(
      claimed.map((job) => ({ job, end: { to: "done" } })),
      receivedAt + made,
    );
  }
  return last;
};

const startServer = async (url: string): Promise<{ readonly url: string; readonly child: ChildProcess }> => {
  const main = fileURLToPath(new URL("../../apps/server/src/main.ts", import.meta.url));
  const child = spawn(process.execPath, ["--conditions=@postern/source", "--import", "tsx", main], {
    env: {
      PATH: process.env.PATH,
      DATABASE_URL: url,
      POSTERN_SECRET_KEY: key,
      POSTERN_RATE_LIMIT: "off",
      POSTERN_LOG_FORMAT: "json",
      WEBHOOK_STRIPE_SECRET: secret,
      PORT: "0",
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const listening = await new Promise<string>((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`the server ended with ${code}`)));
    createInterface({ input: child.stdout }).on("line", (line) => {
      if (line.includes('"msg":"started"')) resolve(JSON.parse(line).url);
    });
  });
  child.removeAllListeners("exit");
  return { url: listening, child };
};

const stop = async (child: ChildProcess): Promise<void> => {
  child.kill("SIGTERM");
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
};

/** Delivers at a steady rate, whatever the answers take. A latency counts from the time at which it was due. */
const deliver = (url: string) => {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  let latencies: number[] = [];
  let refused = 0;
  const send = (dueAt: number): void => {
    const body = `{"id":"evt_${randomBytes(12).toString("hex")}","object":"event","type":"invoice.paid","data":"${"x".repeat(900)}"}`;
    const seconds = Math.floor(Date.now() / 1000);
    const mac = createHmac("sha256", secret).update(`${seconds}.${body}`).digest("hex");
    const headers = { "content-type": "application/json", "stripe-signature": `t=${seconds},v1=${mac}` };
    const sent = request(`${url}/api/webhooks/stripe`, { method: "POST", agent, headers }, (answer) => {
      if (answer.statusCode !== 200) refused += 1;
      answer.resume().once("end", () => latencies.push(performance.now() - dueAt));
    });
    sent.once("error", () => {
      refused += 1;
    });
    sent.end(body);
  };
  const began = performance.now();
  let count = 0;
  const timer = setInterval(() => {
    for (; count < ((performance.now() - began) / 1000) * perSecond; count += 1)
      send(began + (count / perSecond) * 1000);
  }, 2);
  return {
    /** The 99th percentile since the last call, and how many were refused. */
    p99: () => {
      const sorted = latencies.toSorted((left, right) => left - right);
      latencies = [];
      return { ms: sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN, refused };
    },
    stop: () => {
      clearInterval(timer);
      agent.destroy();
    },
  };
};

/** Lets the server begin with its retention, and waits until nothing is due. Returns the seconds. */
const clear = async ({ storage }: KnexStorage, last: number): Promise<number> => {
  const job = { kind: "postern.prune", maxAttempts: 6, payload: { slot: Date.now() } };
  await storage.jobs.enqueue([{ ...job, unique: { key: "schedule postern.prune" } }], Date.now());
  const began = performance.now();
  for (let seconds = 0; ; seconds += 1) {
    // Oldest first: the oldest event that is left says how far it has come.
    const [oldest] = await storage.events.list({ after: 0, limit: 1 });
    if (oldest === undefined || oldest.id > last) return (performance.now() - began) / 1000;
    if (seconds % 60 === 59) console.error(`  after ${seconds + 1} s: event ${oldest.id} of ${last}`);
    await pause(1_000);
  }
};

const missed: string[] = [];
const row = (what: string, figure: number, goal: number, isLeast: boolean): void => {
  if (isLeast ? figure < goal : figure > goal) missed.push(what);
  console.log(`| ${what} | ${figure.toFixed(figure < 10 ? 1 : 0)} | ${isLeast ? "≥" : "≤"} ${goal.toFixed(1)} |`);
};

const measure = async (name: string, url: string): Promise<void> => {
  const opened = createKnexStorage({ url, resources: resourcesOfParts(allParts) });
  try {
    await opened.migrate.latest();
    const few = Math.ceil(events / 5);
    let last = await fill(opened.storage, few);
    let server = await startServer(url);
    try {
      row(`${name}: events a second, idle`, few / (await clear(opened, last)), goals.idle, true);
    } finally {
      await stop(server.child);
    }
    last = await fill(opened.storage, events);
    server = await startServer(url);
    const load = deliver(server.url);
    try {
      await pause(5_000);
      load.p99();
      await pause(baselineMs);
      const without = load.p99();
      const seconds = await clear(opened, last);
      const beside = load.p99();
      row(`${name}: events a second beside ${perSecond} webhooks a second`, events / seconds, goals.beside, true);
      row(`${name}: minutes for ${events} events`, seconds / 60, goals.minutes, false);
      console.log(
        `| ${name}: p99 of an accept without, with | ${without.ms.toFixed(1)}, ${beside.ms.toFixed(1)} ms | |`,
      );
      row(`${name}: p99 with, over without`, beside.ms / without.ms, goals.p99, false);
      row(`${name}: deliveries refused`, beside.refused, 0, false);
    } finally {
      load.stop();
      await stop(server.child);
    }
  } finally {
    await opened.close();
  }
};

console.log("| what | found | goal |\n|---|---:|---:|");
for (const name of values.only.split(",")) {
  if (name === "sqlite") {
    const folder = mkdtempSync(join(values.folder, "postern-retention-"));
    await measure("SQLite", `sqlite:${join(folder, "postern.db")}`).finally(() => rmSync(folder, { recursive: true }));
    continue;
  }
  const database = `postern_retention_${randomBytes(4).toString("hex")}`;
  const { url, run } = statement(name, database);
  await run(`CREATE DATABASE ${database}`);
  await measure(name === "postgres" ? "PostgreSQL" : "MariaDB", url).finally(() => run(`DROP DATABASE ${database}`));
}
if (missed.length > 0) {
  console.error(`Goals missed: ${missed.join("; ")}.`);
  if (values.check) process.exitCode = 1;
}
