import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { testPostern } from "@postern/testing";
import type { SqlQueryable } from "@prisma/driver-adapter-utils";
import knex, { type Knex } from "knex";
import mysql from "mysql2/promise";
import pg from "pg";
import { openPostern, type Postern } from "postern";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { databaseServers } from "../../apps/server/test/database-servers.ts";
import { orderPaid } from "../transactions/in-a-handler.ts";
import { packOrder } from "../transactions/pack-order.ts";
import { placeOrder } from "../transactions/place-order.ts";
import * as withDrizzle from "../transactions/with-drizzle.ts";
import * as withKnex from "../transactions/with-knex.ts";
import * as withKysely from "../transactions/with-kysely.ts";
import * as withPrisma from "../transactions/with-prisma.ts";

/** Postern as a sender of jobs only, beside a table of the application; and what both hold. */
const senderOn = async (database: string, client: string, connection: Knex.Config["connection"]) => {
  const postern = await openPostern({
    database,
    secretKey: randomBytes(32),
    parts: ["inbox"],
    jobs: [packOrder],
    workers: false,
    logLevel: "error",
  });
  const own = knex({ client, connection: connection ?? {}, useNullAsDefault: true });
  await own.schema.createTable("orders", (table) => {
    table.integer("id").primary();
    table.string("state", 20).notNullable();
  });
  const found = async () => ({
    orders: (await own("orders").orderBy("id")).map(({ id }) => id),
    jobs: (await postern.ports.storage.jobRecords.countByState()).ready ?? 0,
  });
  const close = async () => {
    await own.destroy();
    await postern.stop();
  };
  return { postern, own, found, close };
};

type Sender = Awaited<ReturnType<typeof senderOn>>;

/** A place puts an order and its job there, and neither if the order is there already. */
const keepsBothOrNeither = async (
  { postern, found }: Sender,
  place: (postern: Postern, id: number) => Promise<unknown>,
) => {
  const before = await found();
  const id = before.orders.length + 1;
  await place(postern, id);
  const once = { orders: [...before.orders, id], jobs: before.jobs + 1 };
  expect(await found()).toEqual(once);
  await expect(place(postern, id)).rejects.toThrow();
  expect(await found()).toEqual(once);
};

describe("one transaction on SQLite", () => {
  let sender: Sender;
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "postern-transactions-"));
    const filename = join(folder, "app.db");
    sender = await senderOn(`sqlite:${filename}`, "sqlite3", { filename });
  });
  afterAll(async () => {
    await sender.close();
    rmSync(folder, { recursive: true });
  });

  test("of Postern keeps both or neither", () => keepsBothOrNeither(sender, placeOrder));
  test("of your Knex keeps both or neither", () =>
    keepsBothOrNeither(sender, (postern, id) => withKnex.placeOrder(sender.own, postern, id)));

  test("of a handler marks the order paid, and enqueues", async () => {
    await using t = await testPostern({
      database: `sqlite:${join(folder, "handler.db")}`,
      providers: { demo: { scheme: "standard-webhooks", secret: `whsec_${randomBytes(24).toString("base64")}` } },
      handlers: [orderPaid],
      jobs: [packOrder],
      parts: ["inbox"],
    });
    await t.postern.transaction(async ({ knex: own }) => {
      await own.schema.createTable("orders", (table) => {
        table.integer("id").primary();
        table.string("state", 20);
      });
      await own("orders").insert({ id: 1, state: "placed" });
    });
    await t.deliver("demo", { type: "order.paid", data: { order: 1 } });
    await t.drain();
    expect(await t.postern.transaction(async ({ knex: own }) => own("orders"))).toEqual([{ id: 1, state: "paid" }]);
    expect((await t.jobs()).map(({ kind, state }) => [kind, state])).toContainEqual(["orders.pack", "done"]);
  });
});

for (const { name, database } of databaseServers) {
  describe(`one transaction on ${name}`, () => {
    const { url, create, drop } = database();
    const isPostgres = url.startsWith("postgres");
    let sender: Sender;
    beforeAll(async () => {
      await create();
      sender = await senderOn(url, isPostgres ? "pg" : "mysql2", url);
    });
    afterAll(async () => {
      await sender.close();
      await drop();
    });

    test("of Postern keeps both or neither", () => keepsBothOrNeither(sender, placeOrder));
    test("of your Knex keeps both or neither", () =>
      keepsBothOrNeither(sender, (postern, id) => withKnex.placeOrder(sender.own, postern, id)));

    test.runIf(isPostgres)("of Kysely keeps both or neither", async () => {
      const pool = new pg.Pool({ connectionString: url });
      await keepsBothOrNeither(sender, (postern, id) => withKysely.placeOrder(pool, postern, id));
      await pool.end();
    });

    test.runIf(!isPostgres)("of Drizzle keeps both or neither", async () => {
      const pool = mysql.createPool(url);
      await keepsBothOrNeither(sender, (postern, id) => withDrizzle.placeOrder(pool, postern, id));
      await pool.end();
    });

    // Its driver adapter is real; the client that Prisma would generate is not.
    test.runIf(isPostgres)("of Prisma keeps both or neither", async () => {
      const { adapter, connection, end } = withPrisma.onOneConnection(url);
      const driver = await adapter.connect();
      const tablesOn = (on: SqlQueryable) => ({
        order: {
          create: ({ data }: { data: { id: number; state: string } }) =>
            on.executeRaw({
              sql: "INSERT INTO orders (id, state) VALUES ($1, $2)",
              args: [data.id, data.state],
              argTypes: [
                { scalarType: "int", arity: "scalar" },
                { scalarType: "string", arity: "scalar" },
              ],
            }),
        },
      });
      const prisma: withPrisma.Prisma = {
        ...tablesOn(driver),
        $transaction: async (work) => {
          const tx = await driver.startTransaction();
          const finish = async (sql: "COMMIT" | "ROLLBACK") => {
            await tx.executeRaw({ sql, args: [], argTypes: [] });
            await (sql === "COMMIT" ? tx.commit() : tx.rollback());
          };
          try {
            const result = await work(tablesOn(tx));
            await finish("COMMIT");
            return result;
          } catch (thrown) {
            await finish("ROLLBACK");
            throw thrown;
          }
        },
      };
      await keepsBothOrNeither(sender, (postern, id) => withPrisma.placeOrder(prisma, connection, postern, id));
      await end();
    });
  });
}
