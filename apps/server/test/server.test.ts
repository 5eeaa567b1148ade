import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { user } from "@postern/app";
import { allRows } from "@postern/core";
import { createKnexStorage } from "@postern/storage-knex";
import { createVerifier, sign } from "@postern/webhook-verifier";
import { standardWebhooks } from "@postern/webhook-verifier/schemes/standard-webhooks";
import Stripe from "stripe";
import { describe, expect, test } from "vitest";
import { eventually, failToStart, type ServerProcess, startProcess, temporaryDirectory } from "./server-process.ts";

const json = { "content-type": "application/json" };
const secret = "whsec_test_0123456789abcdef";
const stripe = new Stripe("sk_test_never_used");

const post = (url: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(url, { method: "POST", headers: { ...json, ...headers }, body: JSON.stringify(body) });

const stripeEvent = (id: string): string =>
  JSON.stringify({ id, object: "event", type: "invoice.paid", data: { object: { id: "in_1" } } }, undefined, 2);

/** Delivers an event as Stripe does, signed by Stripe's own package. */
const deliver = (server: ServerProcess, payload: string, sent = payload): Promise<Response> =>
  fetch(`${server.url}/api/webhooks/stripe`, {
    method: "POST",
    headers: { ...json, "stripe-signature": stripe.webhooks.generateTestHeaderString({ payload, secret }) },
    body: sent,
  });

/** Opens the database of a server that has ended. */
const openDatabase = (directory: string) => createKnexStorage({ url: `sqlite:${join(directory, "data/postern.db")}` });

/** A configuration whose handler takes a while and then writes one effect for each event. */
const withEffects = (directory: string): void => {
  writeFileSync(
    join(directory, "postern.config.mjs"),
    `import { setTimeout } from "node:timers/promises";
    const handle = async (event, context) => {
      await setTimeout(5);
      await context.commit((_rows, { jobs }) =>
        jobs.enqueue([{ kind: "effect", queue: "effects", maxAttempts: 1, payload: event.eventId }], Date.now()));
    };
    const retry = { delaysMs: [1000, 1000, 1000] };
    export default { handlers: [{ name: "effects", provider: "*", type: "*", retry, timeoutMs: 60000, handle }] };`,
  );
};

describe("the server", () => {
  test("signs users up and in, and gives each only their own data", async () => {
    const { url } = await startProcess(temporaryDirectory());
    const ada = { name: "Ada", email: "ada@example.com", password: "correct horse battery" };
    const made = await post(`${url}/api/users`, ada);
    expect(made.status).toBe(201);
    const { access_token } = (await (
      await post(`${url}/api/sessions`, { email: ada.email, password: ada.password })
    ).json()) as { access_token: string };
    const authorization = `Bearer ${access_token}`;
    const me = await fetch(`${url}/api/users/me?fields=name,email`, { headers: { authorization } });
    expect(await me.json()).toEqual({ name: "Ada", email: "ada@example.com" });
    const other = (await (await post(`${url}/api/users`, { ...ada, email: "bob@example.com" })).json()) as {
      id: string;
    };
    expect((await fetch(`${url}/api/v2/users/${other.id}`, { headers: { authorization } })).status).toBe(404);
    expect((await fetch(`${url}/api/v2/users/${other.id}`)).status).toBe(401);
    expect((await post(`${url}/api/users`, { name: "Eve", password: ada.password })).status).toBe(400);
    for (const path of ["/api", "/api/v1/openapi.json", "/api/v2/docs", "/health/live", "/health/ready"]) {
      expect([path, (await fetch(`${url}${path}`)).status]).toEqual([path, 200]);
    }
  });

  test("accepts an event that Stripe's own package signed, and runs it once", async () => {
    const directory = temporaryDirectory();
    const server = await startProcess(directory, { WEBHOOK_STRIPE_SECRET: secret });
    const payload = stripeEvent("evt_1");
    const first = await deliver(server, payload);
    expect([first.status, await first.json()]).toEqual([200, { id: expect.any(String), status: "accepted" }]);
    for (let repeat = 0; repeat < 5; repeat += 1) {
      const again = await deliver(server, payload);
      expect([again.status, await again.json()]).toEqual([200, expect.objectContaining({ status: "duplicate" })]);
    }
    expect((await deliver(server, payload, payload.replace("in_1", "in_2"))).status).toBe(401);
    expect((await post(`${server.url}/api/webhooks/unheard-of`, {})).status).toBe(404);
    const database = openDatabase(directory);
    await eventually(async () => (await database.storage.events.list({ state: "processed", limit: 5 })).length === 1);
    const events = await database.storage.events.list({ limit: 10 });
    expect(events).toEqual([expect.objectContaining({ eventId: "evt_1", state: "processed", repeats: 5 })]);
    await database.close();
    expect(server.output()).not.toContain(secret);
  });

  test("loses none of 200 accepted events when it is killed, and runs each once", async () => {
    const directory = temporaryDirectory();
    withEffects(directory);
    const environment = { WEBHOOK_STRIPE_SECRET: secret };
    const first = await startProcess(directory, environment);
    const ids = Array.from({ length: 200 }, (_, n) => `evt_${n}`);
    // One address may have this many connections at once.
    const waves = Array.from({ length: 5 }, (_, n) => ids.slice(n * 40, n * 40 + 40));
    const answers: Response[] = [];
    for (const wave of waves) answers.push(...(await Promise.all(wave.map((id) => deliver(first, stripeEvent(id))))));
    first.kill("SIGKILL");
    expect(await first.exited).toBe("SIGKILL");
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));

    const database = openDatabase(directory);
    const left = await database.storage.jobRecords.countByState();
    expect(left.ready + left.running).toBeGreaterThan(0);

    await startProcess(directory, environment);
    const jobs = () => database.storage.jobRecords.list({ kind: "effects", state: "done", limit: 1000 });
    await eventually(async () => (await jobs()).length === 200);
    const effects = await database.storage.jobRecords.list({ kind: "effect", limit: 1000 });
    expect(effects).toHaveLength(200);
    const events = await database.storage.events.list({ limit: 1000 });
    expect(events.map(({ eventId }) => eventId).toSorted()).toEqual(ids.toSorted());
    expect(new Set(events.map(({ state }) => state))).toEqual(new Set(["processed"]));
    await database.close();
  }, 60_000);

  test("drains and exits 0 on SIGINT and SIGTERM, with jobs under way", async () => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) {
      const directory = temporaryDirectory();
      withEffects(directory);
      const server = await startProcess(directory, { WEBHOOK_STRIPE_SECRET: secret });
      const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => deliver(server, stripeEvent(`evt_${n}`))));
      server.kill(signal);
      expect([signal, await server.exited]).toEqual([signal, 0]);
      expect(answers.every(({ status }) => status === 200)).toBe(true);
      const database = openDatabase(directory);
      const { running, dead } = await database.storage.jobRecords.countByState();
      expect({ running, dead }).toEqual({ running: 0, dead: 0 });
      expect(await database.storage.runners.live()).toEqual([]);
      await database.close();
    }
  });

  test("takes a signal that comes twice within a second for one", async () => {
    const server = await startProcess(temporaryDirectory(), { POSTERN_DRAIN_DELAY: "500" });
    server.kill("SIGTERM");
    await eventually(async () => server.output().includes('"msg":"stopping"'));
    server.kill("SIGTERM");
    expect(await server.exited).toBe(0);
    expect(server.output()).toContain('"msg":"stopped"');
  });

  test("warns of a handler whose sender may be added later", async () => {
    const directory = temporaryDirectory();
    const route = '{ provider: "our-shop", to: "log" }';
    writeFileSync(join(directory, "postern.config.mjs"), `export default { routes: [${route}] };`);
    const server = await startProcess(directory);
    await eventually(async () => /"level":"?(?:warn|40)"?.*"provider":"our-shop"/.test(server.output()));
  });

  test("forwards events to a URL, signed as Standard Webhooks", async () => {
    const directory = temporaryDirectory();
    const key = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    const received: { headers: Record<string, string>; body: string }[] = [];
    const target = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      received.push({ headers: request.headers as Record<string, string>, body: Buffer.concat(chunks).toString() });
      response.writeHead(204).end();
    });
    await new Promise<void>((resolve) => target.listen(0, "127.0.0.1", resolve));
    const { port } = target.address() as AddressInfo;
    writeFileSync(
      join(directory, "postern.config.ts"),
      `const to: { url: string; secret: string; allowPrivate: boolean } = { url: "http://127.0.0.1:${port}/hooks", secret: "${key}", allowPrivate: true };
      export default { routes: [{ provider: "stripe", type: "invoice.*", to }] };`,
    );
    const server = await startProcess(directory, { WEBHOOK_STRIPE_SECRET: secret });
    await deliver(server, stripeEvent("evt_1"));
    await eventually(async () => received.length === 1);
    target.close();
    const [sent] = received;
    expect(sent?.body).toBe(stripeEvent("evt_1"));
    const verifier = createVerifier(standardWebhooks, { keys: key });
    await expect(verifier.verify({ headers: sent?.headers ?? {}, body: sent?.body })).resolves.toMatchObject({
      scheme: "standard-webhooks",
    });
  });

  test("runs other jobs while a slow target holds all slots of its queue", async () => {
    const directory = temporaryDirectory();
    const key = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    const held: string[] = [];
    const slow = createServer((request) => held.push(request.url ?? ""));
    await new Promise<void>((resolve) => slow.listen(0, "127.0.0.1", resolve));
    const { port } = slow.address() as AddressInfo;
    writeFileSync(
      join(directory, "postern.config.mjs"),
      `const to = { url: "http://127.0.0.1:${port}/hooks", secret: "${key}", allowPrivate: true };
      export default {
        routes: [{ provider: "stripe", to, queue: "slow" }, { provider: "stripe", to: "log" }],
        queues: { slow: { concurrency: 1 } },
      };`,
    );
    const server = await startProcess(directory, { WEBHOOK_STRIPE_SECRET: secret, POSTERN_JOBS: "2" });
    const logged = () => server.output().split('"msg":"webhook event"').length - 1;
    for (const id of ["evt_1", "evt_2", "evt_3"]) await deliver(server, stripeEvent(id));
    await eventually(async () => held.length === 1 && logged() === 3);
    slow.closeAllConnections();
    slow.close();
  });

  /** The configuration file that a page of the documentation shows. */
  const shownOn = (page: string): string => {
    const text = readFileSync(new URL(`../../../docs/${page}.md`, import.meta.url), "utf8");
    return String(/```js\n( *import \{ defineConfig[^`]+)```/.exec(text)?.[1]);
  };

  test("handles the first webhook as docs/start.md shows it", async () => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, "postern.config.mjs"), shownOn("start"));
    const keys = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    const server = await startProcess(directory, {
      WEBHOOK_DEMO_SECRET: keys,
      WEBHOOK_DEMO_SCHEME: "standard-webhooks",
    });
    const body = JSON.stringify({ id: "evt_1", type: "invoice.paid", data: { message: "Hello" } });
    const headers = await sign(standardWebhooks, { keys, id: "evt_1", body });
    const send = () =>
      fetch(`${server.url}/api/webhooks/demo`, { method: "POST", headers: { ...json, ...headers }, body });
    expect(await (await send()).json()).toMatchObject({ status: "accepted" });
    expect(await (await send()).json()).toMatchObject({ status: "duplicate" });
    await eventually(async () => server.output().includes("an invoice changed"));
    const line = server
      .output()
      .split("\n")
      .find((text) => text.includes("an invoice changed"));
    expect(JSON.parse(String(line))).toMatchObject({ id: "evt_1", says: "Hello" });
  });

  test("loads the configuration that docs/configuration.md shows", async () => {
    const directory = temporaryDirectory();
    writeFileSync(
      join(directory, "postern.config.mjs"),
      shownOn("configuration").replace("whsec_…", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"),
    );
    const server = await startProcess(directory, { WEBHOOK_STRIPE_SECRET: secret });
    const answer = await deliver(server, stripeEvent("evt_1"));
    expect(await answer.json()).toMatchObject({ status: "accepted" });
  });

  test("makes the first administrator from the environment, once", async () => {
    const directory = temporaryDirectory();
    const environment = { POSTERN_ADMIN_EMAIL: "root@example.com", POSTERN_ADMIN_PASSWORD: "a long enough password" };
    for (let start = 0; start < 2; start += 1) {
      const server = await startProcess(directory, environment);
      const credentials = { email: environment.POSTERN_ADMIN_EMAIL, password: environment.POSTERN_ADMIN_PASSWORD };
      const { access_token } = (await (await post(`${server.url}/api/sessions`, credentials)).json()) as {
        access_token: string;
      };
      const events = await fetch(`${server.url}/api/v2/admin/events`, {
        headers: { authorization: `Bearer ${access_token}` },
      });
      expect(events.status).toBe(200);
      expect(server.output()).not.toContain(environment.POSTERN_ADMIN_PASSWORD);
      server.kill("SIGTERM");
      await server.exited;
    }
    const database = openDatabase(directory);
    const order = [{ field: "id", direction: "asc" }] as const;
    expect(await database.storage.resources.list(user, { scope: allRows("test"), order, limit: 5 })).toHaveLength(1);
    await database.close();
  });

  test("shows its secret key nowhere", async () => {
    const directory = temporaryDirectory();
    await startProcess(directory);
    expect(statSync(join(directory, "data/postern.key")).mode & 0o777).toBe(0o600);
  });
});

describe("a server that cannot start", () => {
  test("reports every fault of its configuration and exits with 2", async () => {
    const { code, output } = await failToStart(temporaryDirectory(), {
      PORT: "many",
      POSTERN_ROLE: "boss",
      WEBHOOK_ACME_SECRET: "never-shown",
    });
    expect(code).toBe(2);
    expect(output).toContain("PORT must be a whole number from 0 to 65535.");
    expect(output).toContain("POSTERN_ROLE must be one of all, http, worker.");
    expect(output).not.toMatch(/never-shown| at .*\.ts/);
  });

  test("names an unknown scheme, and the nearest known one", async () => {
    const { code, output } = await failToStart(temporaryDirectory(), {
      WEBHOOK_ACME_SECRET: "never-shown",
      WEBHOOK_STRYPE_SECRET: "never-shown",
    });
    expect(code).toBe(2);
    expect(output).toMatch(/acme.*no scheme "acme".*WEBHOOK_ACME_SCHEME/s);
    expect(output).toMatch(/no scheme "strype": did you mean "stripe"\?.*WEBHOOK_STRYPE_SCHEME/s);
    expect(output).not.toContain("never-shown");
  });

  test("asks for a secret key if several nodes would share it", async () => {
    const { code, output } = await failToStart(temporaryDirectory(), { DATABASE_URL: "mysql://root@127.0.0.1:1/none" });
    expect([code, output]).toEqual([2, expect.stringContaining("POSTERN_SECRET_KEY")]);
  });

  test("reports which port is taken, and which setting changes it", async () => {
    const first = await startProcess(temporaryDirectory());
    const { port } = new URL(first.url ?? "");
    const taken = `Postern cannot listen on port ${port} of 127.0.0.1: it is taken. Stop what uses it, or set`;
    const server = await failToStart(temporaryDirectory(), { PORT: port });
    expect([server.code, server.output]).toEqual([2, `${taken} PORT to another one.\n`]);
    const metrics = await failToStart(temporaryDirectory(), { POSTERN_METRICS_PORT: port });
    expect([metrics.code, metrics.output]).toEqual([2, `${taken} POSTERN_METRICS_PORT to another one.\n`]);
  });

  test("names the folder that it cannot use, and does not blame the port", async () => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, "file"), "");
    const { code, output } = await failToStart(directory, { DATABASE_URL: "sqlite:./file/postern.db" });
    expect([code, output]).toEqual([2, expect.stringMatching(/^Postern cannot use .*file \(E\w+\)\..*DATABASE_URL/)]);
    expect(output).not.toContain("PORT");
  });

  test("names its variable for an address that no database can have", async () => {
    const { code, output } = await failToStart(temporaryDirectory(), { DATABASE_URL: "sqlite:./postern.db?mode=ro" });
    expect([code, output]).toEqual([
      2,
      expect.stringContaining('DATABASE_URL: unknown parameter "mode"; there is driver=…'),
    ]);
  });

  test("says why the database cannot be reached, without its password", async () => {
    const { code, output } = await failToStart(temporaryDirectory(), {
      DATABASE_URL: "mysql://root:never-shown@127.0.0.1:1/none",
      POSTERN_DATABASE_WAIT: "0",
      POSTERN_SECRET_KEY: Buffer.alloc(32, 1).toString("base64"),
    });
    expect([code, output]).toEqual([5, expect.stringMatching(/ECONNREFUSED.*DATABASE_URL/)]);
    expect(output).not.toContain("never-shown");
  });

  test.each([
    ["an unknown setting", "export default { handler: [] };", 'there is no option "handler"; did you mean "handlers"?'],
    [
      "a route with an impossible queue",
      'export default { routes: [{ to: "log", queue: "Slow Ones" }] };',
      '"queue" must be 1 to 64 lower-case letters',
    ],
    ["a route that leads nowhere", 'export default { routes: [{ to: "nope" }] };', 'must be "log"'],
    [
      "a route into the private network",
      'export default { routes: [{ to: { url: "http://10.1.2.3/", secret: "whsec_MDEyMzQ1Njc4OWFiY2RlZg==" } }] };',
      "allowPrivate",
    ],
    [
      "a route with a key that cannot sign",
      'export default { routes: [{ to: { url: "https://a.example/", secret: "never-shown" } }] };',
      "The route for * *: This key cannot be used",
    ],
    [
      "two handlers of one name",
      "const h = { name: 'a', provider: '*', type: '*', retry: { delaysMs: [] }, timeoutMs: 1, handle() {} }; export default { handlers: [h, h] };",
      'two entries named "a"',
    ],
    ["a bound of HTTP that cannot work", "export default { http: { memoryLimitBytes: 0 } };", "memoryLimitBytes"],
    [
      "a bound of HTTP that does not exist",
      "export default { http: { maxPipelined: 100 } };",
      'http: there is no option "maxPipelined"',
    ],
    ["no object", "export default 7;", "must export an object"],
    ["a mistake in its code", "export default {;", "could not be loaded"],
  ])("says what is wrong with a configuration file with %s", async (_what, text, sentence) => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, "postern.config.mjs"), text);
    const { code, output } = await failToStart(directory, {});
    expect([code, output]).toEqual([2, expect.stringContaining(sentence)]);
  });

  test("refuses a damaged key file", async () => {
    const directory = temporaryDirectory();
    mkdirSync(join(directory, "data"));
    writeFileSync(join(directory, "data/postern.key"), "damaged");
    const { code, output } = await failToStart(directory, {});
    expect([code, output]).toEqual([2, expect.stringContaining("postern.key")]);
  });
});
