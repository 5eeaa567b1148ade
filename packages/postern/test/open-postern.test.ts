import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { memoryPorts, virtualClock } from "@postern/core/memory";
import { sign } from "@postern/webhook-verifier";
import { standardWebhooks } from "@postern/webhook-verifier/schemes/standard-webhooks";
import { afterAll, afterEach, expect, test } from "vitest";
import {
  allRows,
  ConfigError,
  defineJob,
  defineResource,
  newJob,
  on,
  openPostern,
  ownedBy,
  type Postern,
  type PosternOptions,
  reference,
  text,
  user,
} from "../src/index.ts";

const secret = `whsec_${randomBytes(24).toString("base64")}`;
const directory = mkdtempSync(join(tmpdir(), "postern-embedded-"));
const secretKey = randomBytes(32);
const opened = new Set<Postern>();
let made = 0;

afterEach(async () => {
  await Promise.all([...opened].map((postern) => postern.stop()));
  opened.clear();
});
afterAll(() => rmSync(directory, { recursive: true }));

const newDatabase = (): string => {
  made += 1;
  return `sqlite:${join(directory, `${made}.db`)}`;
};

const open = async (
  options: { readonly [Name in keyof PosternOptions]?: PosternOptions[Name] | undefined } = {},
): Promise<Postern> => {
  const acme = { scheme: "standard-webhooks", secret };
  const postern = await openPostern({
    database: newDatabase(),
    secretKey,
    providers: { acme },
    logLevel: "error",
    ...options,
  } as PosternOptions);
  opened.add(postern);
  return postern;
};

/** A storage in memory that notes when it is closed. */
const ownStorage = () => {
  const { storage, rateLimits, deprecatedUses, liveness } = memoryPorts();
  const ends: string[] = [];
  const close = async () => void ends.push("closed");
  const migrate = { latest: async () => [] };
  return { adapter: { storage, rateLimits, deprecatedUses, liveness, isShared: false, migrate, close }, ends };
};

const deliver = async (postern: Postern, id: string): Promise<Response> => {
  const body = JSON.stringify({ type: "invoice.paid", data: { id } });
  const signed = await sign(standardWebhooks, { keys: secret, body, id });
  const headers = { "content-type": "application/json", ...signed };
  return postern.fetch(new Request("http://localhost/api/webhooks/acme", { method: "POST", headers, body }));
};

const signUp = (postern: Postern): Promise<Response> =>
  postern.fetch(
    new Request("http://localhost/api/v1/users", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ name: "Ann", email: "ann@example.com", password: "correct horse battery" }),
    }),
  );

test("stores a webhook once, and runs its handler in this process", async () => {
  const handled: string[] = [];
  const postern = await open({
    handlers: [on("acme", "invoice.*", async ({ eventId }) => void handled.push(String(eventId)))],
  });
  expect(await (await deliver(postern, "evt_1")).json()).toEqual({ id: "1", status: "accepted" });
  expect(await (await deliver(postern, "evt_1")).json()).toMatchObject({ status: "duplicate" });
  await expect.poll(() => handled).toEqual(["evt_1"]);
});

test("takes a text as the secret of a sender", async () => {
  const postern = await open({ providers: { "standard-webhooks": secret } });
  const body = JSON.stringify({ type: "invoice.paid", data: {} });
  const headers = {
    "content-type": "application/json",
    ...(await sign(standardWebhooks, { keys: secret, body, id: "1" })),
  };
  const url = "http://localhost/api/webhooks/standard-webhooks";
  expect((await postern.fetch(new Request(url, { method: "POST", headers, body }))).status).toBe(200);
});

test("leaves jobs to another process if it has no workers", async () => {
  const database = newDatabase();
  const ran: unknown[] = [];
  const greet = defineJob<{ name: string }>("greet", async ({ name }) => void ran.push(name));
  const sender = await open({ database, jobs: [greet], workers: false });
  await sender.enqueue(newJob(greet, { name: "Ann" }));
  expect(await sender.ports.storage.jobRecords.countByState()).toMatchObject({ ready: 1 });
  await sender.stop();
  await open({ database, jobs: [greet] });
  await expect.poll(() => ran).toEqual(["Ann"]);
});

test("keeps jobs and tables of your own in one transaction, and refuses another one in it", async () => {
  for (const own of [{}, { database: undefined, storage: ownStorage().adapter }]) {
    const greet = defineJob<{ name: string }>("greet", async () => undefined);
    const postern = await open({ jobs: [greet], workers: false, ...own });
    const words = "was called inside a transaction, and would not be part of it: use the `tx` that your work is given";
    await postern.transaction(async (tx) => {
      await tx.enqueue(newJob(greet, { name: "Ann" }));
      await expect(postern.transaction(async () => undefined)).rejects.toThrow(`transaction ${words}`);
      await expect(postern.enqueue(newJob(greet, { name: "Bob" }))).rejects.toThrow(`enqueue ${words}`);
    });
    await postern.enqueue(newJob(greet, { name: "Carl" }));
    expect(await postern.ports.storage.jobRecords.countByState()).toMatchObject({ ready: 2 });
  }
  const postern = await open({ workers: false });
  await postern.transaction(async ({ knex }) => {
    await knex.schema.createTable("orders", (table) => void table.integer("id").primary());
    await knex("orders").insert({ id: 1 });
  });
  expect(await postern.transaction(async ({ knex }) => knex("orders"))).toEqual([{ id: 1 }]);
});

test("refuses another transaction in the commit of a handler, and a commit in a transaction", async () => {
  for (const own of [{}, { database: undefined, storage: ownStorage().adapter }]) {
    const greet = defineJob<{ name: string }>("greet", async () => undefined);
    const refusals: string[] = [];
    const refused = async (call: () => Promise<unknown>) =>
      refusals.push(await call().then(String, (thrown: Error) => thrown.message.split(",")[0] ?? ""));
    const both = defineJob("both", async (_payload, { commit }) => {
      await postern.transaction(() => refused(() => commit(async () => undefined)));
      await commit(async (_rows, tx) => {
        await tx.enqueue(newJob(greet, { name: "Ann" }));
        await refused(() => postern.transaction(async () => undefined));
        await refused(() => postern.enqueue(newJob(greet, { name: "Bob" })));
        await refused(async () => postern.within({} as never));
      });
      await refused(() => postern.enqueue(newJob(greet, { name: "Carl" })));
    });
    const postern: Postern = await open({ jobs: [greet, both], ...own });
    await postern.enqueue(newJob(both, null));
    await expect.poll(() => refusals.length).toBe(5);
    const inside = "was called inside a transaction";
    expect(refusals.slice(0, 4)).toEqual(
      ["commit", "transaction", "enqueue", "within"].map((name) => `${name} ${inside}`),
    );
    await expect.poll(() => postern.ports.storage.jobRecords.countByState()).toMatchObject({ done: 3 });
  }
});

test("gives a transaction the rows of its resources with their types", async () => {
  const own = ownedBy("user_id");
  const invoice = defineResource({
    name: "invoice",
    plural: "invoices",
    description: "An invoice.",
    fields: {
      user_id: reference("user", { onDelete: "cascade", as: "owner", description: "Whose." }),
      number: text(20, { description: "Its number." }),
    },
    owner: "user_id",
    access: { read: own, update: own, delete: own },
  });
  const postern = await openPostern({ database: newDatabase(), resources: [invoice], workers: false });
  // Code that knows none of the resources takes it, too.
  const anywhere: Postern = postern;
  opened.add(anywhere);
  const user_id = await postern.transaction(async ({ rows }) => {
    // The rows of a part are there unless it is left out.
    const ann = await rows.users?.create({ name: "Ann", email: "ann@example.com", password: "a hash" });
    return ann?.id ?? "";
  });
  const number: string = await postern.transaction(
    async ({ rows }) => (await rows.invoices.create({ user_id, number: "A-1" })).number,
  );
  expect(number).toBe("A-1");
  const misnamed = postern.transaction(async ({ rows }) => {
    // @ts-expect-error: there is no such resource.
    await rows.invoice.list();
  });
  await expect(misnamed).rejects.toThrow('there are no rows named "invoice"; did you mean "invoices"?');
  const misfit = postern.transaction(async ({ rows }) => {
    // @ts-expect-error: a number is a text.
    await rows.invoices.create({ user_id, number: 1 });
  });
  await expect(misfit).rejects.toMatchObject({ code: "validation_failed" });
});

/** A request to a route of the application's own, as each kind of server has it. */
const requests: Readonly<Record<string, (headers: Readonly<Record<string, string>>) => Request | IncomingMessage>> = {
  "a web request": (headers) => new Request("http://localhost/greeting", { headers }),
  "a message of node:http": (headers) => {
    const message = new IncomingMessage(new Socket());
    for (const [name, value] of Object.entries(headers)) {
      message.headers[name] = value;
      message.rawHeaders.push(name, value);
    }
    return message;
  },
};

const post = async (postern: Postern, path: string, body: unknown, headers = {}): Promise<Record<string, string>> => {
  const sent = { "content-type": "application/json", ...headers };
  const url = `http://localhost/api/v1${path}`;
  const answer = await postern.fetch(new Request(url, { method: "POST", headers: sent, body: JSON.stringify(body) }));
  expect(answer.status).toBe(201);
  return Object(await answer.json());
};

test("says who is signed in to routes of the application's own", async () => {
  const postern = await open({ signup: "open", workers: false });
  const { id: userId } = Object(await (await signUp(postern)).json());
  const session = await post(postern, "/sessions", { email: "ann@example.com", password: "correct horse battery" });
  const asAnn = { authorization: `Bearer ${session.access_token}` };
  const key = await post(postern, "/api-keys", { name: "one", scopes: ["users:read"] }, asAnn);
  for (const make of Object.values(requests)) {
    const caller = (headers: Readonly<Record<string, string>>) => postern.authenticate(make(headers));
    expect(await caller({})).toBeUndefined();
    expect(await caller(asAnn)).toEqual({
      userId,
      role: "user",
      credential: { kind: "session", id: expect.any(String) },
    });
    expect(await caller({ authorization: `Bearer ${key.key}` })).toEqual({
      userId,
      role: "user",
      scopes: ["users:read"],
      credential: { kind: "api-key", id: key.id },
    });
    for (const [authorization, code] of [
      ["Bearer nonsense", "invalid_token"],
      ["Bearer", "invalid_token"],
      ["Basic YTpi", "unauthenticated"],
    ] as const) {
      await expect(caller({ authorization })).rejects.toMatchObject({
        code,
        status: 401,
        headers: { "www-authenticate": expect.stringContaining("Bearer") },
      });
    }
  }
});

test("counts a wrong credential for the address behind the proxies, and a valid one for its user", async () => {
  const taken: string[] = [];
  const { rateLimits } = memoryPorts();
  const noting: typeof rateLimits = {
    ...rateLimits,
    takeEach: (requests) => {
      taken.push(...requests.map(({ key }) => key));
      return rateLimits.takeEach(requests);
    },
  };
  const postern = await open({ signup: "open", workers: false, trustProxy: 1, ports: { rateLimits: noting } });
  const { id: userId } = Object(await (await signUp(postern)).json());
  const session = await post(postern, "/sessions", { email: "ann@example.com", password: "correct horse battery" });
  taken.length = 0;
  const wrong = { authorization: "Bearer nonsense", "x-forwarded-for": "192.0.2.7" };
  for (const make of Object.values(requests)) {
    await postern.authenticate(make(wrong)).catch(() => undefined);
    await postern.authenticate(make({ authorization: `Bearer ${session.access_token}` }));
  }
  await postern.authenticate(new Request("http://localhost/"), { address: "192.0.2.9" });
  const twice = ["address:192.0.2.7", `default:${userId}`];
  expect(taken).toEqual([...twice, ...twice, "address:192.0.2.9"]);
});

test("lets nobody sign up unless the application says so", async () => {
  expect((await signUp(await open())).status).toBe(401);
  expect((await signUp(await open({ signup: "open" }))).status).toBe(201);
});

test("has neither users nor their tables if it is an inbox only", async () => {
  const postern = await open({ parts: ["inbox"] });
  expect((await signUp(postern)).status).toBe(404);
  expect((await deliver(postern, "evt_1")).status).toBe(200);
  const everyone = { scope: allRows("test"), order: [{ field: "id", direction: "asc" }], limit: 1 } as const;
  await expect(postern.ports.storage.resources.list(user, everyone)).rejects.toThrow();
});

test("takes a port of the application's own in place of the usual one", async () => {
  const clock = virtualClock();
  const postern = await open({ ports: { clock } });
  expect(postern.ports.clock).toBe(clock);
});

test("takes a storage of the application's own in place of a database", async () => {
  const { adapter } = ownStorage();
  const postern = await open({ database: undefined, storage: adapter });
  const { id } = Object(await (await deliver(postern, "evt_1")).json());
  expect(await adapter.storage.events.find(Number(id))).toMatchObject({ eventId: "evt_1" });
});

test("closes what it has opened if the runner cannot be registered", async () => {
  const { adapter, ends } = ownStorage();
  const register = () => Promise.reject(new Error("no place for a runner"));
  const storage = { ...adapter.storage, runners: { ...adapter.storage.runners, register } };
  await expect(open({ database: undefined, storage: { ...adapter, storage } })).rejects.toThrow(
    "no place for a runner",
  );
  expect(ends).toEqual(["closed"]);
});

test("keeps two instances in one process apart", async () => {
  const [first, second] = [await open(), await open()];
  await deliver(first, "evt_1");
  expect(await first.ports.storage.events.find(1)).toBeDefined();
  expect(await second.ports.storage.events.find(1)).toBeUndefined();
});

test("makes the administrator that it is told, once", async () => {
  const database = newDatabase();
  const admin = { email: "root@example.com", password: "correct horse battery" };
  for (const _ of [1, 2]) {
    const postern = await open({ database, admin });
    const { body } = await postern.app.run({ operation: "users.list", principal: { kind: "operator", name: "test" } });
    expect(body).toMatchObject({ data: [{ email: "root@example.com", role: "admin" }] });
    await postern.stop();
  }
});

test("stops once, waits for the running job, and is no longer ready", async () => {
  let release = (): void => undefined;
  const events: string[] = [];
  const slow = defineJob("slow", async () => {
    events.push("begun");
    await new Promise<void>((resolve) => (release = resolve));
    events.push("ended");
  });
  const postern = await open({ jobs: [slow] });
  await postern.enqueue(newJob(slow, null));
  await expect.poll(() => events).toEqual(["begun"]);
  const stopped = postern.stop().then(() => events.push("stopped"));
  release();
  await stopped;
  expect(events).toEqual(["begun", "ended", "stopped"]);
  await postern.stop();
});

test.each<[Record<string, unknown>, string]>([
  [
    { providers: { acme: undefined } },
    "Provider acme: its secret is undefined; is the variable that it comes from set?",
  ],
  [{ providers: { acme: "" } }, "Provider acme: its secret is empty; is the variable that it comes from set?"],
  [
    { database: undefined },
    'give the URL of a database, such as database: "sqlite:./app.db", or a storage of your own',
  ],
  [
    { database: "./app.db", secretKey: undefined },
    'give the URL of a database, such as database: "sqlite:./app.db", or a storage of your own',
  ],
  [{ database: "oracle://host" }, 'openPostern: "database" must be sqlite:<file>, postgres://…'],
  [{ database: `sqlite:${directory}/a.db?driver=none` }, "database: driver is one of node:sqlite"],
  [{ database: "postgres://localhost/app", secretKey: undefined }, "secretKey must be set with this database"],
  [{ secretKey: "short" }, 'openPostern: "secretKey" must be 32 bytes'],
  [{ workers: 0 }, 'openPostern: "workers" must be a whole number from 1 to 1000, or false, not 0'],
  [{ signup: "closed" }, 'openPostern: "signup" must be "open" or "admin", not "closed"'],
  [{ mail: { url: "smtp://mail" } }, 'mail: "from" is missing'],
  [
    { mail: { url: "smtp://mail", from: "a@b.example" } },
    "mail needs publicUrl, the address that links in mails lead to",
  ],
  [{ publicUrl: "https://API.example.com" }, 'openPostern: "publicUrl" must be an origin such as'],
  [{ defaultVersion: "v9" }, "defaultVersion: there is no v9"],
  [{ http: { memoryLimitBytes: 0 } }, 'http: "memoryLimitBytes" must be a whole number, 1 or more, not 0'],
  [{ handler: [] }, 'openPostern: there is no option "handler"; did you mean "handlers"?'],
])("refuses %j with a sentence", async (options, sentence) => {
  const refused = open(options as Partial<PosternOptions>);
  await expect(refused).rejects.toBeInstanceOf(ConfigError);
  await expect(refused).rejects.toThrow(sentence);
});

test("an outside issuer is an option, and a wrong one stops the start", async () => {
  const outsideIssuer = { issuer: "https://id.example.com", audience: "https://api.example.com" };
  const postern = await open({ outsideIssuer });
  const refused = await postern.fetch(
    new Request("http://localhost/api/v1/users/me", { headers: { authorization: "Bearer x" } }),
  );
  expect(refused.status).toBe(401);
  const wrong = open({ outsideIssuer: { ...outsideIssuer, scopes: "strict" as "required" } });
  await expect(wrong).rejects.toThrow('outsideIssuer: "scopes" must be "optional" or "required"');
});
