/**
 * The rungs of the ladder, each a server of its own: `node rungs.ts <name>`. Each does what the
 * rung below it does and one thing more. It prints its address as JSON on standard output.
 */
import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { createApp, resourcesOfParts } from "@postern/app";
import type { NewEvent, Telemetry } from "@postern/core/ports";
import { nodeListener } from "@postern/http/node";
import { defineProvider, type InboxHandler, logHandler } from "@postern/inbox";
import { groupCommit } from "@postern/jobs/internal";
import { nodeCronPlan } from "@postern/jobs/node-cron";
import { nodePorts, type PinoTelemetry, pinoTelemetry } from "@postern/platform-node";
import { createKnexStorage } from "@postern/storage-knex";
import { createVerifier, type Delivery } from "@postern/webhook-verifier";
import { stripe } from "@postern/webhook-verifier/schemes/stripe";

const secret = process.env.SECRET ?? "";
const databaseUrl = process.env.DATABASE_URL ?? "";
const path = "/api/webhooks/stripe";

/** What a rung does with the bytes of a request before it answers 200. */
type Work = (body: Uint8Array, request: IncomingMessage) => Promise<void>;

const listenerOf =
  (work: Work): RequestListener =>
  (request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      work(Buffer.concat(pieces), request).then(
        () => response.writeHead(200, { "content-type": "application/json" }).end('{"status":"accepted"}'),
        (thrown: unknown) => {
          console.error(thrown);
          response.writeHead(500).end();
        },
      );
    });
  };

const ignore = (): void => undefined;
const quiet: PinoTelemetry = { render: async () => "", log: ignore, count: ignore, observe: ignore, gauge: ignore };

const verifier = createVerifier(stripe, { keys: secret });
const verify = (body: Uint8Array, { headers }: IncomingMessage): Promise<Delivery> =>
  verifier.verify({ method: "POST", url: path, headers, body });

interface SqliteStatement {
  run(values: readonly unknown[], done: (error: Error | null) => void): void;
}
interface SqliteDatabase {
  exec(sql: string, done: (error: Error | null) => void): void;
  prepare(sql: string): SqliteStatement;
}

/** One table and many events in each commit: the least that a durable receiver can do. */
const oneTable = async (columns: string): Promise<Work> => {
  const sqlite = createRequire(new URL("../../packages/storage-knex/package.json", import.meta.url))("sqlite3");
  const database: SqliteDatabase = new sqlite.Database(databaseUrl.slice("sqlite:".length));
  const exec = (sql: string): Promise<void> =>
    new Promise((resolve, reject) => database.exec(sql, (error) => (error === null ? resolve() : reject(error))));
  await exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;");
  await exec(`CREATE TABLE event (id INTEGER PRIMARY KEY, ${columns}, body BLOB)`);
  const insert = database.prepare("INSERT OR IGNORE INTO event (dedupe_key, body) VALUES (?, ?)");
  const store = (values: readonly unknown[]): Promise<void> =>
    new Promise((resolve, reject) => insert.run(values, (error) => (error === null ? resolve() : reject(error))));
  const commit = groupCommit<readonly [string, Uint8Array], undefined>(
    async (rows) => {
      await exec("BEGIN IMMEDIATE");
      await Promise.all(rows.map(store));
      await exec("COMMIT");
      return rows.map(() => undefined);
    },
    { items: 500, waiting: 10_000 },
  );
  return async (body, request) => {
    const { dedupeKey = "" } = await verify(body, request);
    await commit([dedupeKey, body]);
  };
};

const storageOf = async (telemetry: Telemetry) => {
  const database = createKnexStorage({
    url: databaseUrl,
    telemetry,
    guardNesting: false,
    parts: ["inbox"],
    resources: resourcesOfParts(["inbox"]),
  });
  await database.migrate.latest();
  return database;
};

const handler: InboxHandler = logHandler({ provider: "*", type: "*" });

/**
 * Postern's own tables, with a row for the event and one for its job. The rows hold only the key
 * and the body.
 */
const eventAndJob = async (): Promise<Work> => {
  const { storage } = await storageOf(quiet);
  const commit = groupCommit((events: readonly NewEvent[]) => storage.events.accept(events), {
    items: 500,
    waiting: 10_000,
  });
  const digest = "0".repeat(64);
  return async (body, request) => {
    const { dedupeKey = "" } = await verify(body, request);
    await commit({
      provider: "stripe",
      dedupeKey,
      eventId: undefined,
      type: undefined,
      body,
      headers: {},
      bodySha256: digest,
      occurredAt: undefined,
      receivedAt: Date.now(),
      disposition: "accepted",
      reason: undefined,
      jobs: [{ kind: handler.name, maxAttempts: 12 }],
    });
  };
};

const appOf = async (telemetry: PinoTelemetry) => {
  const { storage, rateLimits, liveness, deprecatedUses } = await storageOf(telemetry);
  const node = nodePorts({ secretKey: Buffer.alloc(32, 7), telemetry });
  return createApp({
    ports: { ...node, storage, rateLimits, liveness, deprecatedUses, cronPlan: nodeCronPlan() },
    parts: ["inbox"],
    handlers: [handler],
    providers: [defineProvider({ name: "stripe", verifier })],
    authenticate: async () => undefined,
  });
};

/** The inbox: digest, payload, kept headers, one log line. HTTP is still minimal. */
const inbox = async (): Promise<Work> => {
  const app = await appOf(quiet);
  let requests = 0;
  return async (body, { headers }) => {
    requests += 1;
    await app.receive({
      provider: "stripe",
      method: "POST",
      url: path,
      headers,
      body,
      requestId: `r${requests}`,
    });
  };
};

const rungs: Readonly<Record<string, () => Promise<RequestListener>>> = {
  bare: async () => (_request, response) =>
    response.writeHead(200, { "content-type": "application/json" }).end('{"status":"accepted"}'),
  body: async () => listenerOf(() => Promise.resolve()),
  verified: async () =>
    listenerOf(async (body, request) => {
      await verify(body, request);
    }),
  stored: async () => listenerOf(await oneTable("dedupe_key TEXT")),
  deduped: async () => listenerOf(await oneTable("dedupe_key TEXT UNIQUE")),
  jobs: async () => listenerOf(await eventAndJob()),
  inbox: async () => listenerOf(await inbox()),
  listener: async () => nodeListener(await appOf(quiet), { telemetry: quiet }),
  logged: async () => {
    const telemetry = pinoTelemetry({ level: "info", format: "json" });
    return nodeListener(await appOf(telemetry), { telemetry });
  },
};

const make = rungs[process.argv[2] ?? ""];
if (make === undefined) throw new Error(`the rungs are ${Object.keys(rungs).join(", ")}`);
const server = createServer(await make());
server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo;
  console.log(JSON.stringify({ msg: "started", url: `http://127.0.0.1:${port}` }));
});
