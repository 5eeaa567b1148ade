import { createKnexStorage } from "../../src/index.ts";

/** Enqueues a job beside a row of a table of its own, once to the end and once until just before the commit, and dies. */
const { storage } = createKnexStorage({ url: process.argv[2] ?? "" });
const write = (id: number, before: () => Promise<void>) =>
  storage.transaction(async ({ jobs }, { knex }) => {
    await jobs.enqueue([{ kind: "remind", maxAttempts: 1, payload: { id } }], 1);
    await knex("orders").insert({ id });
    await before();
  });
await write(1, async () => undefined);
await write(2, async () => {
  process.kill(process.pid, "SIGKILL");
  await new Promise(() => undefined);
});
