import { performance } from "node:perf_hooks";
import { setTimeout as timer } from "node:timers";
import { type App, afterCommit, createApp } from "@postern/app";
import { defineResource, integer, ownedBy, type Ports, reference, text } from "@postern/core";
import { memoryPorts, seededRandomness } from "@postern/core/memory";
import { defineJob, type JobHandler } from "@postern/jobs";
import type { KnexStorage } from "../../src/index.ts";

const access = { read: ownedBy("user_id"), update: ownedBy("user_id"), delete: ownedBy("user_id") };

/** Rows that count how often they were written. */
export const counter = defineResource({
  name: "counter",
  plural: "counters",
  description: "What is counted.",
  fields: {
    user_id: reference("user", { onDelete: "cascade", description: "Whose it is." }),
    n: integer({ description: "How often a job or a transaction wrote it; -1 in a write that is rolled back." }),
    stamp: integer({ description: "Another number with each request.", default: 0 }),
  },
  owner: "user_id",
  access,
});

/** Rows that go with a counter. */
export const mark = defineResource({
  name: "mark",
  plural: "marks",
  description: "What belongs to a counter.",
  fields: {
    user_id: reference("user", { onDelete: "cascade", description: "Whose it is." }),
    counter_id: reference("counter", { onDelete: "cascade", description: "The counter." }),
    label: text(20, { description: "A label." }),
  },
  owner: "user_id",
  access,
});

export const counted = [counter, mark] as const;

const bump = defineJob<{ id: string }>("bump", async ({ id }, { commit }) => {
  await commit(async (rows) => {
    const row = await rows.counters?.get(id, { hold: true });
    await rows.counters?.update(id, { n: Number(row?.n) + 1 });
  });
});

/** Each handled change becomes a row of `handled`, which has the order in which they were handled. */
const hooks = [
  afterCommit(
    counter,
    "told",
    async (change, { commit }) => {
      const revision = Number(change.row?.revision ?? 0);
      await commit((_rows, { knex }) => knex("handled").insert({ row_id: change.rowId, revision }));
    },
    { order: "row" },
  ),
  afterCommit(mark, "mark-told", async () => undefined),
];

/** The real time. */
const clock: Ports["clock"] = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after: (ms, run) => {
    const pending = timer(run, ms).unref();
    return () => clearTimeout(pending);
  },
  nextLoopTurn: () => new Promise((resolve) => setImmediate(resolve)),
};

/** An application on this storage. `seed` differs between processes, so that their ids do, too. */
export const countingApp = ({ storage, liveness }: KnexStorage, seed: number): { app: App; ports: Ports } => {
  const ports: Ports = { ...memoryPorts({ randomness: seededRandomness(seed) }), storage, liveness, clock };
  return { app: createApp({ ports, parts: ["users"], resources: counted, jobs: [bump as JobHandler], hooks }), ports };
};
