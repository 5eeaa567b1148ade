import { createApp } from "@postern/app";
import { allRows, choice, defineResource, nullable, ownedBy, reference, text, timestamp } from "@postern/core";
import { memoryPorts } from "@postern/core/memory";
import { handlersFor } from "@postern/inbox";
import { newJob } from "@postern/jobs";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { KnexStorage } from "../src/index.ts";
import { onEachDatabase, openStorage } from "./databases.ts";

const bill = defineResource({
  name: "bill",
  plural: "bills",
  description: "A bill.",
  fields: {
    user_id: reference("user", { onDelete: "cascade", as: "owner", description: "Whose it is." }),
    number: text(20, { description: "Its number." }),
    state: choice(["sent", "paid"], { default: "sent", description: "Whether it is paid." }),
    reminded_at: nullable(timestamp({ description: "When somebody was reminded." })),
  },
  owner: "user_id",
  access: { read: ownedBy("user_id"), update: ownedBy("user_id"), delete: ownedBy("user_id") },
});
const { defineJob } = handlersFor([bill]);

onEachDatabase("a handler that reads, calls, then commits", (databases) => {
  let opened: KnexStorage;
  beforeAll(async () => {
    opened = openStorage({ url: await databases.prepared(), resources: [bill] });
    await opened.migrate.latest();
  });
  afterAll(() => opened.close());

  test("is tried again while the service is away, and has its effect once", async () => {
    const ports = { ...memoryPorts(), storage: opened.storage };
    /** What the mail service answers to the first calls. */
    const statuses = [503, 503];
    const mails: string[] = [];
    const send = async (number: string): Promise<void> => {
      const status = statuses.shift() ?? 200;
      if (status !== 200) throw new Error(`mail: ${status}`);
      mails.push(number);
    };
    const marks: string[] = [];
    const remind = defineJob<{ id: string }>(
      "bills.remind",
      async ({ id }, { read, commit, now }) => {
        const { number, state, reminded_at } = await read(({ bills }) => bills.get(id));
        if (state !== "sent" || reminded_at !== null) return;
        await send(number);
        await commit(async ({ bills }) => {
          const still = await bills.get(id, { hold: true });
          if (still.reminded_at !== null) return;
          await bills.update(id, { reminded_at: new Date(now()).toISOString() });
          marks.push(number);
        });
      },
      { retry: { delaysMs: [0, 0, 0] } },
    );
    const app = createApp({ ports, resources: [bill], jobs: [remind] });
    const made = await app.transaction(async ({ rows, enqueue }) => {
      const owner = await rows.users?.create({ name: "ada", email: "ada@example.com", password: "hash" });
      const ids: string[] = [];
      for (const number of ["1", "2"]) ids.push((await rows.bills?.create({ number, user_id: owner?.id }))?.id ?? "");
      await enqueue(...ids.map((id) => newJob(remind, { id })));
      return ids;
    });
    const worker = app.worker({ name: "only", concurrency: 2 });
    await worker.start();
    const ended = () => opened.storage.jobRecords.list({ state: "done", kind: remind.name, limit: 9 });
    await expect
      .poll(async () => {
        await worker.runDue();
        return (await ended()).length;
      })
      .toBe(2);
    await worker.stop(1_000);
    expect(mails.toSorted()).toEqual(["1", "2"]);
    expect(marks.toSorted()).toEqual(["1", "2"]);
    const attempts = (await ended()).map(({ attempt }) => attempt);
    expect(attempts.reduce((sum, attempt) => sum + attempt, 0)).toBe(4);
    const order = [{ field: "id", direction: "asc" }] as const;
    const rows = await opened.storage.resources.list(bill, { scope: allRows("test"), order, limit: 9 });
    expect(rows.map(({ id, reminded_at, revision }) => [id, reminded_at !== null, revision])).toEqual(
      made.toSorted().map((id) => [id, true, 2]),
    );
  });
});
