import { fileURLToPath } from "node:url";
import { type App, createApp, user } from "@postern/app";
import { type MemoryPorts, memoryPorts } from "@postern/core/memory";
import type { Job } from "@postern/core/ports";
import { idNumber as id, userRow } from "@postern/core/testing";
import { defineProvider, type InboxHandler } from "@postern/inbox";
import { newJob, type Schedule } from "@postern/jobs";
import { nodeCronPlan } from "@postern/jobs/node-cron";
import { loadConfigFile } from "@postern/server";
import { createVerifier, sign } from "@postern/webhook-verifier";
import { standardWebhooks } from "@postern/webhook-verifier/schemes/standard-webhooks";
import { afterEach, describe, expect, test, vi } from "vitest";
import { bookPayment } from "../handlers/book-payment.ts";
import { markPaid } from "../handlers/mark-paid.ts";
import { remind } from "../handlers/remind.ts";
import { closeBooks, findOverdue } from "../handlers/schedules.ts";
import { trackBalance } from "../handlers/track-balance.ts";
import { invoice } from "../invoices/invoice.ts";

const keys = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";
const longAgo = "2026-01-01T00:00:00.000Z";

interface Scene {
  readonly app: App;
  readonly ports: MemoryPorts;
  deliver(body: string, id?: string): Promise<number>;
  addInvoice(number: string, changes?: object): Promise<void>;
  /** Looks for work, also for schedules, until so many milliseconds have passed. */
  work(ms?: number): Promise<void>;
  /** The application's own jobs, oldest first. */
  jobs(): Promise<readonly Job[]>;
  said(message: string): readonly unknown[];
}

const scene = async (handlers: readonly InboxHandler[], schedules: readonly Schedule[] = []): Promise<Scene> => {
  const ports = memoryPorts({ cronPlan: nodeCronPlan() });
  const { storage, clock } = ports;
  const verifier = createVerifier(standardWebhooks, { keys, now: () => clock.now() });
  const providers = [defineProvider({ name: "demo", verifier })];
  const app = createApp({ ports, resources: [invoice], providers, handlers, jobs: [remind], schedules });
  const worker = app.worker({ name: "test", concurrency: 10 });
  await worker.start();
  const owner = { ...userRow(1), id: ports.ids.uuid() };
  await storage.resources.insert(user, owner);
  const look = async (): Promise<void> => {
    if (schedules.length > 0) await worker.fireSchedules();
    for (let started = await worker.runDue(); started > 0; started = await worker.runDue()) await clock.advance(0);
  };
  return {
    app,
    ports,
    deliver: async (text, id = "evt_1") => {
      const body = new TextEncoder().encode(text);
      const headers = await sign(standardWebhooks, { keys, body, id, timestamp: clock.now() });
      const url = "https://example.com/api/webhooks/demo";
      return (await app.receive({ provider: "demo", method: "POST", url, headers, body, requestId: "test" })).status;
    },
    addInvoice: async (number, changes = {}) => {
      const sent = {
        id: number,
        number: number.slice(-12),
        amount: 12.5,
        currency: "EUR",
        due_on: "2026-11-30",
        state: "sent",
        paid_at: null,
        reminded_at: null,
      };
      const times = { sent_at: longAgo, created_at: longAgo, updated_at: longAgo };
      await storage.resources.insert(invoice, { user_id: owner.id, ...sent, ...times, ...changes });
    },
    work: async (ms = 0) => {
      await look();
      const until = clock.now() + ms;
      while (clock.now() < until) {
        await clock.advance(Math.min(60_000, until - clock.now()));
        await look();
      }
    },
    jobs: async () =>
      (await storage.jobRecords.list({ limit: 100 })).filter(({ kind }) => !kind.startsWith("postern.")).toReversed(),
    said: (message) => ports.telemetry.entries.filter((entry) => entry.message === message).map(({ fields }) => fields),
  };
};

const numberOne = id(1).slice(-12);
const paid = (data: object) => JSON.stringify({ type: "invoice.paid", data });

describe("the handler that marks an invoice paid", () => {
  test.each([
    [
      "an invoice that does not exist",
      {},
      { number: "none", amount: 12.5 },
      { state: "scheduled", says: "There is no invoice with this number." },
    ],
    [
      "a draft",
      { state: "draft" },
      { number: numberOne, amount: 12.5 },
      { state: "scheduled", says: "From draft it can become sent, not paid." },
    ],
    ["another amount", {}, { number: numberOne, amount: 12 }, { state: "dead", says: "the payment is not the amount" }],
  ])("changes nothing for %s, and comes again if that can help", async (_what, changes, data, { state, says }) => {
    const { deliver, addInvoice, work, jobs, ports } = await scene([markPaid]);
    await addInvoice(id(1), changes);
    await deliver(paid(data));
    await work();
    expect(await jobs()).toMatchObject([{ state, attempt: 1, lastError: expect.stringContaining(says) }]);
    const row = await ports.storage.resources.find(invoice, id(1), { where: { all: [] } });
    expect(row).toMatchObject({ paid_at: null, revision: 1 });
  });

  test("takes a second payment of the same invoice for done", async () => {
    const { deliver, addInvoice, work, jobs, ports } = await scene([markPaid]);
    await addInvoice(id(1));
    for (const event of ["evt_1", "evt_2"]) {
      await deliver(paid({ number: numberOne, amount: 12.5 }), event);
      await work(60_000);
    }
    expect((await jobs()).map(({ state }) => state)).toEqual(["done", "done"]);
    const row = await ports.storage.resources.find(invoice, id(1), { where: { all: [] } });
    expect(row).toMatchObject({ state: "paid", revision: 2, paid_at: longAgo, updated_at: longAgo });
  });

  test("gets no event that does not fit its schema", async () => {
    const { deliver, work, jobs, ports } = await scene([markPaid]);
    expect(await deliver(paid({ number: 42 }))).toBe(200);
    await work();
    expect(await jobs()).toEqual([]);
    expect(await ports.storage.events.list({ limit: 1 })).toMatchObject([{ state: "quarantined" }]);
  });
});

describe("the handler that calls another service", () => {
  afterEach(() => vi.unstubAllGlobals());

  const answering = (...answers: readonly Response[]) => {
    const waiting = [...answers];
    const fetched = vi.fn<typeof fetch>(async () => waiting.shift() ?? new Response("", { status: 200 }));
    vi.stubGlobal("fetch", fetched);
    return fetched;
  };
  const once = async (answer: Response) => {
    const fetched = answering(answer);
    const made = await scene([bookPayment]);
    await made.deliver(paid({ number: "1" }));
    await made.work();
    const [job] = await made.jobs();
    return { ...made, job, fetched, waitMs: Number(job?.dueAt) - made.ports.clock.now() };
  };

  test("snoozes without counting the attempt", async () => {
    const { job, waitMs } = await once(new Response("", { status: 423 }));
    expect({ ...job, waitMs }).toMatchObject({ state: "scheduled", attempt: 0, waitMs: 60_000 });
  });

  test("tries again when the service says so, with the same key", async () => {
    const { job, waitMs, fetched, work, jobs } = await once(
      new Response("", { status: 429, headers: { "retry-after": "90" } }),
    );
    expect({ ...job, waitMs }).toMatchObject({ state: "scheduled", attempt: 1, waitMs: 90_000 });
    await work(90_000);
    expect(await jobs()).toMatchObject([{ state: "done", attempt: 2, queue: "books" }]);
    const sentKeys = fetched.mock.calls.map(([, init]) => new Headers(init?.headers).get("idempotency-key"));
    expect(sentKeys).toEqual([expect.stringMatching(/./), sentKeys[0]]);
  });

  test("gives up at once if the answer will stay the same", async () => {
    const { job } = await once(new Response("", { status: 404 }));
    expect(job).toMatchObject({ state: "dead", lastError: "Permanent: books: 404" });
  });

  test("is dead after its four retries", async () => {
    const { job, waitMs, work, jobs } = await once(new Response("", { status: 500 }));
    expect(job).toMatchObject({ state: "scheduled", attempt: 1, lastError: "Error: books: 500" });
    expect(waitMs).toBeGreaterThanOrEqual(2_500);
    expect(waitMs).toBeLessThanOrEqual(5_000);
    answering(...Array.from({ length: 9 }, () => new Response("", { status: 500 })));
    await work(2 * 3_600_000);
    expect(await jobs()).toMatchObject([{ state: "dead", attempt: 5 }]);
  });

  test("ends its request when its time is up", async () => {
    const reasons: unknown[] = [];
    vi.stubGlobal("fetch", (_url: string, { signal }: { signal: AbortSignal }) => {
      return new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => {
          reasons.push(signal.reason);
          reject(new Error("aborted"));
        });
      });
    });
    const { deliver, work, jobs, ports } = await scene([bookPayment]);
    await deliver(paid({ number: "1" }));
    await work();
    await ports.clock.advance(30_000);
    expect(reasons).toEqual(["timeout"]);
    expect(await jobs()).toMatchObject([{ lastError: "Error: the handler took longer than 30000 ms" }]);
  });
});

test("the handler of balances takes what fits, in order, with every digit", async () => {
  const { deliver, work, jobs, said } = await scene([trackBalance]);
  const change = (account: string, more = '"test":false', currency = "EUR") =>
    `{"type":"balance.changed",${more},"data":{"account":${account},"cents":5,"currency":"${currency}"}}`;
  await deliver(change("9007199254740993"), "evt_1");
  await deliver(change("9007199254740993"), "evt_2");
  await deliver(change("7"), "evt_3");
  await deliver(change("8", '"test":true'), "evt_4");
  await deliver(change("8", '"test":false', "SEK"), "evt_5");
  expect(await jobs()).toMatchObject([
    { orderKey: "account 9007199254740993", state: "ready" },
    { orderKey: "account 9007199254740993", state: "blocked" },
    { orderKey: "account 7", state: "ready" },
  ]);
  await work();
  expect(said("a balance changed")).toHaveLength(3);
  expect(said("a balance changed")).toContainEqual(
    expect.objectContaining({ account: "9007199254740993", cents: "5" }),
  );
});

describe("the schedules", () => {
  afterEach(() => vi.unstubAllGlobals());
  const hour = 3_600_000;

  test("enqueue one reminder for each invoice that is overdue", async () => {
    const sent: unknown[] = [];
    vi.stubGlobal("fetch", async (_url: string, { body }: { body: string }) => {
      sent.push(JSON.parse(body).invoice);
      return new Response();
    });
    const { addInvoice, work, jobs, ports } = await scene([], [findOverdue]);
    await addInvoice(id(1), { due_on: "2025-12-31" });
    await addInvoice(id(2), { due_on: "2026-01-01" });
    await addInvoice(id(3), { due_on: "2025-12-31", state: "paid" });
    ports.clock.jump(8 * hour - 120_000); // 08:58 in Berlin
    await work(180_000);
    expect((await jobs()).map(({ kind, state }) => `${kind} ${state}`)).toEqual([
      "invoices.overdue done",
      "invoices.remind done",
    ]);
    expect(sent).toEqual([id(1).slice(-12)]);
  });

  test("run on the last day of the month", async () => {
    const { work, said, ports } = await scene([], [closeBooks]);
    ports.clock.jump((58 * 24 + 18) * hour - 60_000); // 28 February 2026
    await work(120_000);
    expect(said("the books are closed")).toMatchObject([{ at: "2026-02-28T18:00:00.000Z" }]);
  });

  test("give up a reminder for an invoice that was deleted", async () => {
    const { app, work, jobs } = await scene([]);
    await app.enqueue(newJob(remind, { invoiceId: id(1) }));
    await work();
    expect(await jobs()).toMatchObject([{ state: "dead", lastError: "Permanent: the invoice was deleted" }]);
  });
});

test("the configuration file loads with all of them", async () => {
  const file = fileURLToPath(new URL("../handlers/postern.config.ts", import.meta.url));
  const config = await loadConfigFile(file, ".");
  expect(config.handlers?.map(({ name }) => name)).toEqual(["demo:invoice.paid", "books", "demo:balance.*"]);
  expect(config.jobs?.map(({ name }) => name)).toEqual(["invoices.remind"]);
  expect(config.schedules?.map(({ name }) => name)).toEqual(["invoices.overdue", "books.close"]);
});
