import { randomBytes } from "node:crypto";
import { connect } from "node:net";
import { createKnexStorage } from "@postern/storage-knex";
import mysql from "mysql2/promise";
import Stripe from "stripe";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually, startProcess, temporaryDirectory } from "./server-process.ts";

const serverUrl = process.env.POSTERN_TEST_MYSQL_URL ?? "mysql://root@127.0.0.1:3306";
const secret = "whsec_test";
const stripe = new Stripe("sk_test_never_used");

/** Whether anything listens there. */
const answers = (url: string): Promise<boolean> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port || 3306), hostname);
    socket.once("connect", () => resolve(socket.destroy() !== undefined));
    socket.once("error", () => resolve(false));
  });

const available = await answers(serverUrl);
const required = process.env.POSTERN_REQUIRE_DATABASES === "1";

describe.skipIf(!available && !required)("http and worker processes on MariaDB or MySQL", () => {
  const name = `postern_test_${randomBytes(6).toString("hex")}`;
  const environment = {
    DATABASE_URL: `${serverUrl.replace(/\/$/, "")}/${name}`,
    POSTERN_SECRET_KEY: Buffer.alloc(32, 7).toString("base64"),
    WEBHOOK_STRIPE_SECRET: secret,
  };
  const statement = async (sql: string): Promise<void> => {
    const connection = await mysql.createConnection(serverUrl);
    await connection.query(sql);
    await connection.end();
  };

  beforeAll(() => statement(`CREATE DATABASE ${name}`));
  afterAll(() => statement(`DROP DATABASE IF EXISTS ${name}`));

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
    const done = async (): Promise<number> => (await database.storage.jobs.countByState()).done;

    await deliver(http.url, "evt_first");
    await eventually(async () => (await done()) === 1);

    const ids = Array.from({ length: 200 }, (_, n) => `evt_${n}`);
    const answered = await Promise.all(ids.map((id) => deliver(http.url, id)));
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

  test("a token issued by one node is good on another", async () => {
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
