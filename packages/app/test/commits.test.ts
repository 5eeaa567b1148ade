import { AlreadyCommitted, defineJob, type HandlerContext, newJob } from "@postern/jobs";
import { expect, test } from "vitest";
import { withJobs } from "./with-jobs.ts";

const person = { name: "ann", email: "ann@example.com", password: "hash" };
const mail = defineJob("mail", async () => undefined, { queue: "never" });

type Commit = HandlerContext["commit"];
type GivenRows = Parameters<Parameters<Commit>[0]>[0];

const usersOf = ({ users }: GivenRows): NonNullable<GivenRows[string]> => {
  if (users === undefined) throw new Error("there are no users");
  return users;
};

/** Runs a job once, which throws after `work`. */
const failing = async (work: (context: HandlerContext) => Promise<unknown>, options: { orderKey?: string } = {}) => {
  const job = defineJob("one", async (_payload: undefined, context) => {
    await work(context);
    throw new Error("the mail server is away");
  });
  const process = await withJobs([job, mail], { options: { queues: { never: { concurrency: 0 } } } });
  const [id = 0] = await process.app.enqueue(newJob(job, undefined, options));
  await process.work(100);
  const { storage, ports } = process;
  return {
    ...process,
    stored: () => storage.jobRecords.find(id),
    failures: () => storage.jobRecords.failures(id, 9),
    alerts: ports.alerts.raised,
  };
};

/** Work by what it uses, and whether it ends the job. */
const works: readonly (readonly [string, "ends" | "goes on", Parameters<Commit>[0]])[] = [
  ["nothing", "ends", async () => undefined],
  ["rows that it does not read", "ends", async ({ users }) => users],
  [
    "get",
    "goes on",
    async (rows) =>
      usersOf(rows)
        .get("none")
        .catch(() => undefined),
  ],
  [
    "get, and holds the row",
    "goes on",
    async (rows) =>
      usersOf(rows)
        .get("none", { hold: true })
        .catch(() => undefined),
  ],
  [
    "find",
    "goes on",
    async (rows) =>
      usersOf(rows)
        .find({ name: "none" })
        .catch(() => undefined),
  ],
  ["list", "goes on", async (rows) => usersOf(rows).list()],
  ["list of some rows", "goes on", async (rows) => usersOf(rows).scopedTo({ all: [] }).list()],
  ["list by the transaction", "goes on", async (_rows, tx) => usersOf(tx.rows).list()],
  [
    "enqueue that it does not call",
    "goes on",
    async (rows, { enqueue }) => [await usersOf(rows).list(), enqueue].length,
  ],
  ["create", "ends", async (rows) => usersOf(rows).create(person)],
  ["create among some rows", "ends", async (rows) => usersOf(rows).scopedTo({ all: [] }).create(person)],
  [
    "update that finds nothing",
    "ends",
    async (rows) =>
      usersOf(rows)
        .update("none", {})
        .catch(() => undefined),
  ],
  [
    "remove that finds nothing",
    "ends",
    async (rows) =>
      usersOf(rows)
        .remove("none")
        .catch(() => undefined),
  ],
  ["list and create", "ends", async (rows) => [await usersOf(rows).list(), await usersOf(rows).create(person)]],
  ["enqueue", "ends", async (_rows, { enqueue }) => enqueue(newJob(mail, undefined))],
  ["enqueue without jobs", "ends", async (_rows, { enqueue }) => enqueue()],
  ["list and enqueue", "ends", async (rows, { enqueue }) => [await usersOf(rows).list(), await enqueue()]],
  ["a store", "ends", async (_rows, { events }) => events.list({ limit: 1 })],
  ["list and a store", "ends", async (rows, { jobRecords }) => [await usersOf(rows).list(), jobRecords].length],
];

test.each(works)("a commit that uses %s: the job %s", async (_what, end, work) => {
  const { stored, failures, alerts } = await failing(({ commit }) => commit(work));
  expect((await stored())?.state).toBe(end === "ends" ? "done" : "scheduled");
  expect((await failures()).map(({ afterCommit }) => afterCommit)).toEqual([end === "ends"]);
  expect(alerts.map(({ kind }) => kind)).toEqual(end === "ends" ? ["job.failed_after_commit"] : []);
});

test("a commit that only reads keeps nothing locked and can be followed by one that writes", async () => {
  const { storage, stored, failures } = await failing(async ({ commit }) => {
    const before = await commit((rows) => usersOf(rows).list());
    await commit((rows) => usersOf(rows).list());
    await commit((rows) => usersOf(rows).create({ ...person, name: `after ${before.length}` }));
  });
  expect(await stored()).toMatchObject({ state: "done", attempt: 1, lastError: "Error: the mail server is away" });
  expect(await failures()).toMatchObject([{ attempt: 1, afterCommit: true }]);
  expect(await storage.jobRecords.list({ state: "done", limit: 5 })).toHaveLength(1);
});

test.each([[{}], [{ orderKey: "k" }]])("a second commit is told so, and writes nothing (%o)", async (options) => {
  let second: unknown;
  const { storage, stored, ports } = await failing(async ({ commit }) => {
    await commit(async (_rows, { enqueue }) => enqueue(newJob(mail, undefined)));
    second = await commit(async (_rows, { enqueue }) => enqueue(newJob(mail, undefined))).catch((thrown) => thrown);
  }, options);
  expect(second).toBeInstanceOf(AlreadyCommitted);
  expect(String(second)).toMatch(/^AlreadyCommitted: job \d+ has committed before: write everything in one commit$/);
  expect(await storage.jobRecords.list({ kind: "mail", limit: 5 })).toHaveLength(1);
  expect(await stored()).toMatchObject({ state: "done", attempt: 1, lastError: "Error: the mail server is away" });
  expect(ports.telemetry.counted("jobs_commits_fenced")).toBe(0);
});

test("a failure after a commit has a cause, an alert with the error, and what the handler logged", async () => {
  const { storage, failures, alerts, stored } = await failing(async ({ commit, log }) => {
    log("info", "sending");
    await commit(async () => undefined);
  });
  expect(await failures()).toMatchObject([
    { error: expect.stringContaining("away\n    at"), log: [{ message: "sending" }] },
  ]);
  const { causes } = await storage.jobRecords.causes({ since: 0, limit: 5 });
  expect(causes).toMatchObject([{ failures: 1, example: { kind: "one" } }]);
  const job = (await stored())?.id;
  expect(alerts).toEqual([
    {
      kind: "job.failed_after_commit",
      text: "one failed on event - after it had committed, and does not run again: Error: the mail server is away",
      details: { job, event: undefined, kind: "one" },
    },
  ]);
});
