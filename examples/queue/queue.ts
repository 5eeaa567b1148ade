import { randomBytes } from "node:crypto";
import { createJobRunner, createJobs, defineJob } from "@postern/jobs";
import { nodeCronPlan } from "@postern/jobs/node-cron";
import { nodePorts } from "@postern/platform-node";
import { createKnexStorage } from "@postern/storage-knex";

export const welcome = defineJob<{ email: string }>("welcome", async ({ email }, { commit }) => {
  // The effect and the end of the job are committed together, so it happens once.
  await commit(async (_rows, { knex }) => knex("welcomed").insert({ email }));
});

export const openQueue = async (url: string) => {
  const { migrate, close, ...storage } = createKnexStorage({ url, parts: [] });
  await migrate.latest();
  // The queue stores nothing with the key.
  const ports = { ...nodePorts({ secretKey: randomBytes(32) }), ...storage, cronPlan: nodeCronPlan() };
  const jobs = createJobs({ ports, jobs: [welcome] });
  const { clock, wakeup, telemetry } = ports;
  const runner = createJobRunner({ worker: jobs.worker({ name: "one", concurrency: 10 }), clock, wakeup, telemetry });
  await runner.start();
  return { ...jobs, stop: async () => runner.stop(8_000).then(close) };
};
