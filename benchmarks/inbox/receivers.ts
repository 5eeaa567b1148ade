/**
 * The receivers that Postern is compared with, each in a process of its own: `node receivers.ts
 * <name>`. Each prints its port as JSON on standard output. They do what people write: read the raw
 * body, check Stripe's signature with Stripe's package, store, answer 200.
 */
import { createServer, type RequestListener } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";

const from = (manifest: string) => createRequire(new URL(manifest, import.meta.url));
const verifierPackages = from("../../packages/webhook-verifier/package.json");
const storagePackages = from("../../packages/storage-knex/package.json");
const httpPackages = from("../../packages/http-koa/package.json");
const rivals = from("./rivals/package.json");

const secret = process.env.SECRET ?? "";
const databaseUrl = process.env.DATABASE_URL ?? "";

const stripe = () => {
  const Stripe = verifierPackages("stripe");
  return new (Stripe.default ?? Stripe)("sk_test_never_used");
};

interface Event {
  readonly id: string;
  readonly type: string;
}

/** Inserts one event. It is durable when the promise resolves. */
type Insert = (event: Event, body: Buffer) => Promise<void>;

const sqliteInsert = async (): Promise<Insert> => {
  const sqlite = storagePackages("sqlite3");
  const database = new sqlite.Database(databaseUrl.slice("sqlite:".length));
  const run = (sql: string, values: readonly unknown[] = []): Promise<void> =>
    new Promise((resolve, reject) =>
      database.run(sql, values, (error: Error | null) => (error ? reject(error) : resolve())),
    );
  await run("PRAGMA journal_mode = WAL");
  await run("PRAGMA synchronous = FULL");
  await run("CREATE TABLE events (id TEXT PRIMARY KEY, type TEXT, body BLOB, received_at INTEGER)");
  const statement = database.prepare("INSERT OR IGNORE INTO events VALUES (?, ?, ?, ?)");
  return (event, body) =>
    new Promise((resolve, reject) =>
      statement.run([event.id, event.type, body, Date.now()], (error: Error | null) =>
        error ? reject(error) : resolve(),
      ),
    );
};

const mysqlInsert = async (): Promise<Insert> => {
  const mysql = storagePackages("mysql2/promise");
  const pool = mysql.createPool({ uri: databaseUrl, connectionLimit: 10 });
  await pool.query(
    "CREATE TABLE events (id VARCHAR(191) PRIMARY KEY, type VARCHAR(128), body MEDIUMBLOB, received_at BIGINT) ENGINE=InnoDB",
  );
  return async (event, body) => {
    await pool.execute("INSERT IGNORE INTO events VALUES (?, ?, ?, ?)", [event.id, event.type, body, Date.now()]);
  };
};

const knexInsert = async (): Promise<Insert> => {
  const { knex } = storagePackages("knex");
  const database = knex({
    client: "sqlite3",
    connection: { filename: databaseUrl.slice("sqlite:".length) },
    useNullAsDefault: true,
  });
  await database.raw("PRAGMA journal_mode = WAL");
  await database.raw("PRAGMA synchronous = FULL");
  await database.schema.createTable("events", (table: never) => {
    const columns = table as {
      string(name: string): { primary(): void };
      binary(name: string): void;
      bigInteger(name: string): void;
    };
    columns.string("id").primary();
    columns.string("type");
    columns.binary("body");
    columns.bigInteger("received_at");
  });
  return async (event, body) => {
    await database("events")
      .insert({ id: event.id, type: event.type, body, received_at: Date.now() })
      .onConflict("id")
      .ignore();
  };
};

const bullmqAdd = async (): Promise<Insert> => {
  const { Queue } = rivals("bullmq");
  const queue = new Queue("webhooks", { connection: { port: Number(process.env.REDIS_PORT), host: "127.0.0.1" } });
  return async (event, body) => {
    await queue.add(event.type, { body: body.toString() }, { jobId: event.id });
  };
};

const bare = async (): Promise<RequestListener> => (request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    const body = Buffer.concat(chunks);
    response.writeHead(200, { "content-type": "application/json" }).end(`{"bytes":${body.length}}`);
  });
};

const express = async (insert: Insert): Promise<RequestListener> => {
  const make = rivals("express");
  const sender = stripe();
  const app = make();
  app.post(
    "/api/webhooks/stripe",
    make.raw({ type: "application/json" }),
    async (
      request: { body: Buffer; headers: Record<string, string> },
      response: { status(code: number): { json(body: unknown): void } },
    ) => {
      let event: Event;
      try {
        event = sender.webhooks.constructEvent(request.body, request.headers["stripe-signature"], secret);
      } catch {
        response.status(400).json({ error: "signature" });
        return;
      }
      await insert(event, request.body);
      response.status(200).json({ received: true });
    },
  );
  return app;
};

const koa = async (insert: Insert): Promise<RequestListener> => {
  const Koa = httpPackages("koa");
  const Router = httpPackages("@koa/router");
  const sender = stripe();
  const app = new (Koa.default ?? Koa)();
  const router = new (Router.default ?? Router.Router ?? Router)();
  router.post(
    "/api/webhooks/stripe",
    async (context: { req: AsyncIterable<Buffer>; get(name: string): string; status: number; body: unknown }) => {
      const chunks: Buffer[] = [];
      for await (const chunk of context.req) chunks.push(chunk);
      const body = Buffer.concat(chunks);
      const event: Event = sender.webhooks.constructEvent(body, context.get("stripe-signature"), secret);
      await insert(event, body);
      context.body = { received: true };
    },
  );
  app.use(router.routes());
  return app.callback();
};

const receivers: Readonly<Record<string, () => Promise<RequestListener>>> = {
  bare,
  "express-sqlite": async () => express(await sqliteInsert()),
  "express-mysql": async () => express(await mysqlInsert()),
  "express-bullmq": async () => express(await bullmqAdd()),
  "koa-knex": async () => koa(await knexInsert()),
};

const make = receivers[process.argv[2] ?? ""];
if (make === undefined) throw new Error(`there is ${Object.keys(receivers).join(", ")}`);
const server = createServer(await make());
server.listen(0, "127.0.0.1", () => {
  console.log(JSON.stringify({ msg: "started", url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }));
});
