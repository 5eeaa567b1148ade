import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { createKnexStorage } from "@postern/storage-knex";
import Stripe from "stripe";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { databaseServers } from "./database-servers.ts";
import { eventually, type ServerProcess, startProcess, temporaryDirectory } from "./server-process.ts";

const isLong = process.env.POSTERN_TEST_LONG === "1";
const secret = "whsec_test_0123456789abcdef";
const stripe = new Stripe("sk_test_never_used");

describe.each(databaseServers)("http and worker processes on $name", (server) => {
  const database = server.database();
  const environment = {
    DATABASE_URL: database.url,
    POSTERN_SECRET_KEY: Buffer.alloc(32, 7).toString("base64"),
    WEBHOOK_STRIPE_SECRET: secret,
  };

  beforeAll(() => database.create());
  afterAll(() => database.drop());

  const deliver = (url: string | undefined, id: string): Promise<Response> => {
    const payload = JSON.stringify({ id, object: "event", type: "invoice.paid" });
    const signature = stripe.webhooks.generateTestHeaderString({ payload, secret });
    const headers = { "content-type": "application/json", "stripe-signature": signature };
    return fetch(`${url}/api/webhooks/stripe`, { method: "POST", headers, body: payload });
  };

  test("share the work, start at once without harm, and lose nothing when either is killed", async () => {
    const directory = temporaryDirectory();
    const [http, worker] = await Promise.all([
      startProcess(directory, { ...environment, POSTERN_ROLE: "http" }),
      startProcess(directory, { ...environment, POSTERN_ROLE: "worker" }),
    ]);
    expect(worker.url).toBeUndefined();
    const database = createKnexStorage({ url: environment.DATABASE_URL });
    const done = async (): Promise<number> =>
      (await database.storage.events.list({ state: "processed", limit: 1000 })).length;

    await deliver(http.url, "evt_first");
    await eventually(async () => (await done()) === 1);

    const ids = Array.from({ length: 200 }, (_, n) => `evt_${n}`);
    // One address may have this many connections at once.
    const answered: Response[] = [];
    for (const wave of Array.from({ length: 5 }, (_, n) => ids.slice(n * 40, n * 40 + 40))) {
      answered.push(...(await Promise.all(wave.map((id) => deliver(http.url, id)))));
    }
    worker.kill("SIGKILL");
    http.kill("SIGKILL");
    await Promise.all([worker.exited, http.exited]);
    expect(new Set(answered.map(({ status }) => status))).toEqual(new Set([200]));

    await startProcess(directory, { ...environment, POSTERN_ROLE: "worker" });
    await eventually(async () => (await done()) === 201);
    const events = await database.storage.events.list({ limit: 1000 });
    expect(events.map(({ eventId }) => eventId).toSorted()).toEqual([...ids, "evt_first"].toSorted());
    expect(new Set(events.map(({ state }) => state))).toEqual(new Set(["processed"]));
    await database.close();
  }, 90_000);

  test("neither lose nor repeat anything while workers are killed again and again and no two clocks agree", async () => {
    const effects = `effects-${randomBytes(4).toString("hex")}`;
    /**
     * Starts a node whose clock is wrong by so many milliseconds. Its handler takes a while before
     * it writes one effect.
     */
    const node = (skewMs: number): string => {
      const directory = temporaryDirectory();
      writeFileSync(
        join(directory, "postern.config.mjs"),
        `import { setTimeout } from "node:timers/promises";
        const now = Date.now;
        Date.now = () => now() + ${skewMs};
        const retry = { delaysMs: Array(50).fill(200) };
        const handle = async (event, context) => {
          await setTimeout(20);
          await context.commit((_rows, { jobs }) =>
            jobs.enqueue([{ kind: "effect", queue: "${effects}", maxAttempts: 1, payload: event.eventId }], 0));
        };
        export default { handlers: [{ name: "${effects}", provider: "*", type: "*", retry, timeoutMs: 60000, handle }] };`,
      );
      return directory;
    };
    const start = (role: "http" | "worker", skewMs: number): Promise<ServerProcess> =>
      startProcess(node(skewMs), { ...environment, POSTERN_ROLE: role });
    const [front, other, ...workers] = await Promise.all([
      start("http", 0),
      start("http", 1500),
      start("worker", -1500),
      start("worker", 0),
      start("worker", 1500),
    ]);
    const database = createKnexStorage({ url: environment.DATABASE_URL });
    const { jobs, jobRecords } = database.storage;
    const doneJobs = async (): Promise<number> =>
      (await jobRecords.list({ kind: effects, state: "done", limit: 1000 })).length;

    const ids = Array.from({ length: isLong ? 400 : 300 }, (_, n) => `storm_${n}`);
    let sent = 0;
    const sender = async (): Promise<void> => {
      for (let id = ids[sent++]; id !== undefined; id = ids[sent++]) {
        const url = (sent % 2 === 0 ? front : other)?.url;
        while ((await deliver(url, id).catch(() => undefined))?.status !== 200) await pause(50);
      }
    };
    const senders = Promise.all([sender(), sender()]);
    for (let kill = 0; kill < (isLong ? 5 : 3); kill += 1) {
      const before = await doneJobs();
      await eventually(async () => (await doneJobs()) > before || before === ids.length);
      const victim = workers.shift();
      victim?.kill("SIGKILL");
      await victim?.exited;
      workers.push(await start("worker", [0, 1500, -1500][kill % 3] ?? 0));
    }
    await senders;
    await eventually(async () => {
      // A job is given up when its worker was killed three times. An operator runs it again.
      for (const { id } of await jobRecords.list({ kind: effects, state: "dead", limit: 100 }))
        await jobRecords.retry(id, Date.now());
      return (await doneJobs()) === ids.length;
    });
    const written = await jobs.claim({ runnerId: 900_000, queue: effects, limit: 1000, now: Date.now() });
    expect(written.map(({ payload }) => String(payload)).toSorted()).toEqual(ids.toSorted());
    expect((await jobRecords.list({ kind: effects, state: "running", limit: 5 })).length).toBe(0);
    await database.close();
  }, 120_000);

  test("refuse on every node a session that has ended on one, with the next request", async () => {
    const directory = temporaryDirectory();
    const nodes = ["one", "other"].map(() => startProcess(directory, { ...environment, POSTERN_ROLE: "http" }));
    const [one, other] = (await Promise.all(nodes)).map(({ url }) => `${url}/api/v2`);
    const post = async (path: string, body: object): Promise<Record<string, string>> => {
      const headers = { "content-type": "application/json" };
      const answer = await fetch(one + path, { method: "POST", headers, body: JSON.stringify(body) });
      expect(answer.status).toBe(201);
      return (await answer.json()) as Record<string, string>;
    };
    const account = { email: "leaver@example.com", password: "correct horse battery" };
    await post("/users", { name: "Ada", ...account });
    const { access_token: token } = await post("/sessions", account);
    const ask = async (base: string | undefined, path: string, method = "GET"): Promise<number> =>
      (await fetch(base + path, { method, headers: { authorization: `Bearer ${token}` } })).status;
    expect(await ask(other, "/users/me")).toBe(200);
    expect(await ask(one, "/sessions/current", "DELETE")).toBe(204);
    expect(await ask(other, "/users/me")).toBe(401);
  }, 60_000);

  test("run a killed worker's jobs again within three seconds", async () => {
    const directory = temporaryDirectory();
    writeFileSync(
      join(directory, "postern.config.mjs"),
      `import { setTimeout } from "node:timers/promises";
      const handle = (event, context) => context.attempt === 1 ? setTimeout(60000) : Promise.resolve();
      const retry = { delaysMs: [60000, 60000] };
      export default { handlers: [{ name: "waits", provider: "*", type: "*", retry, timeoutMs: 90000, handle }] };`,
    );
    const roles = ["http", "worker", "worker"] as const;
    const [http, ...workers] = await Promise.all(
      roles.map((role) => startProcess(directory, { ...environment, POSTERN_ROLE: role })),
    );
    const database = createKnexStorage({ url: environment.DATABASE_URL });
    const { jobRecords, runners: registry } = database.storage;
    await deliver(http?.url, "evt_waits");
    await eventually(async () => (await jobRecords.list({ kind: "waits", state: "running", limit: 5 })).length === 1);
    const [job] = await jobRecords.list({ kind: "waits", limit: 1 });
    const runners = await registry.live();
    const held = await Promise.all(runners.map(async ({ id }) => ({ id, jobs: await registry.running(id) })));
    const holder = runners.find(({ id }) =>
      held.some((one) => one.id === id && one.jobs.some((ours) => ours.id === job?.id)),
    );
    const victim = workers.find(({ pid }) => holder?.name.endsWith(`:${pid}`));
    victim?.kill("SIGKILL");
    const killedAt = performance.now();
    await eventually(async () => (await jobRecords.list({ kind: "waits", state: "done", limit: 5 })).length === 1);
    // It takes a second on an idle machine. Without the lock that shows a death, it would take as
    // long as a job may take, which is minutes.
    expect(performance.now() - killedAt).toBeLessThan(3_000);
    await database.close();
  }, 60_000);

  test("a token of one node works on another", async () => {
    const [one, two] = await Promise.all(
      [1, 2].map(() => startProcess(temporaryDirectory(), { ...environment, POSTERN_ROLE: "http" })),
    );
    const post = (path: string, body: object): Promise<Response> =>
      fetch(`${one?.url}/api${path}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      });
    const ada = { email: "ada@example.com", password: "correct horse battery" };
    expect((await post("/users", { name: "Ada", ...ada })).status).toBe(201);
    const { access_token } = (await (await post("/sessions", ada)).json()) as { access_token: string };
    const me = await fetch(`${two?.url}/api/users/me`, { headers: { authorization: `Bearer ${access_token}` } });
    expect(me.status).toBe(200);
  }, 60_000);
});
