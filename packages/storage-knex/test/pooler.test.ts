import { livenessContract, newEvent } from "@postern/core/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseDatabaseUrl } from "../src/engine/database-url.ts";
import { createKnexStorage } from "../src/index.ts";
import { type PostgresAddress, postgresPool } from "../src/postgres/pool.ts";
import { createLineage } from "../src/server/lineage.ts";
import { openServer } from "../src/server/server-database.ts";
import { onPostgres, openStorage, postgres, postgresConnection } from "./databases.ts";
import { type PrivatePgbouncer, privatePgbouncer, startsPgbouncer } from "./private-pgbouncer.ts";

const whyOf = (failed: Promise<unknown>): Promise<string> =>
  failed.then(
    () => "it works",
    (thrown: Error) => String(thrown.cause ?? thrown.message),
  );

const parameter = "?pooler=transaction";

describe.skipIf(!startsPgbouncer)("behind a pooler", () => {
  onPostgres("a storage", () => {
    let poolers: readonly PrivatePgbouncer[];
    let url: string;

    beforeAll(async () => {
      url = await postgres.prepared();
      poolers = await Promise.all([
        privatePgbouncer(postgres.serverUrl),
        // Many set this because of the drivers of other languages.
        privatePgbouncer(postgres.serverUrl, ["ignore_startup_parameters = options"]),
      ]);
    });
    afterAll(() => Promise.all(poolers.map(({ end }) => end())));

    const [strict, lenient] = [
      (): string => poolers[0]?.through(url) ?? "",
      (): string => poolers[1]?.through(url) ?? "",
    ];

    test("refuses to start without the parameter, and says what to write", async () => {
      for (const pooled of [strict(), lenient()]) {
        const { storage, migrate } = openStorage({ url: pooled });
        const sentence = /a pooler in transaction mode .* add pooler=transaction to the URL/;
        expect(await whyOf(migrate.latest())).toMatch(sentence);
        expect(await whyOf(storage.check())).toMatch(sentence);
        expect(await whyOf(storage.events.accept([newEvent("evt_1")]))).toMatch(sentence);
      }
    });

    test("starts with it, also without a pooler", async () => {
      for (const pooled of [strict(), lenient(), url]) {
        const { storage, migrate } = openStorage({ url: pooled + parameter });
        await migrate.latest();
        await storage.check();
        expect(await storage.events.accept([newEvent(`evt_${pooled}`)])).toMatchObject([{ outcome: "accepted" }]);
      }
    });

    test("gives each transaction its limits, and leaves none to the next client", async () => {
      const address = parseDatabaseUrl(strict() + parameter) as PostgresAddress;
      const lineage = createLineage();
      const settings = { requireFlush: false, readLimitMs: 100 };
      const database = openServer(postgresPool(address, 2, settings, lineage), {
        ...settings,
        guardNesting: true,
        lineage,
      });
      const limits = {
        sql: `SELECT current_setting('statement_timeout') AS statement, current_setting('lock_timeout') AS locking,
          current_setting('idle_in_transaction_session_timeout') AS idle, current_setting('synchronous_commit') AS flush`,
        values: [],
      };
      const same = { locking: "2s", idle: "30s", flush: "off" };
      expect(await database.select(limits, ["statement", "locking", "idle", "flush"])).toEqual([
        { ...same, statement: "100ms" },
      ]);
      expect(await database.write((session) => session.rows(limits.sql))).toEqual([{ ...same, statement: "5s" }]);
      await database.close();
      const client = await postgresConnection(strict());
      const { rows } = await client.query("SHOW statement_timeout");
      await client.end();
      expect(rows).toEqual([{ statement_timeout: "0" }]);
    });

    test("tells runners by their heartbeat, and wakes workers of its own process only", async () => {
      const { liveness, wakeup, storage } = openStorage({ url: strict() + parameter });
      await storage.check();
      const { release } = await liveness.hold(1);
      expect(await liveness.isHeld(1)).toBeUndefined();
      await release();
      expect(wakeup).toBeUndefined();
    });

    for (const [promise, keep] of Object.entries(livenessContract)) {
      test(`with the URL of the server itself, keeps the contract of Liveness: ${promise}`, async () => {
        const options = { url: strict() + parameter, livenessUrl: url };
        const [here, there] = [openStorage(options), openStorage(options)];
        await keep({ here: here.liveness, there: there.liveness, endThere: there.close, canTell: true });
        await here.close();
        await there.close();
      });
    }

    test("holds no lock where others do not see it", async () => {
      const elsewhere = openStorage({ url: strict() + parameter, livenessUrl: await postgres.prepared() });
      expect(await whyOf(elsewhere.liveness.hold(1))).toContain("leads to another database than DATABASE_URL");
      const pooled = openStorage({ url: strict() + parameter, livenessUrl: lenient() });
      expect(await whyOf(pooled.liveness.hold(1))).toContain("a pooler in transaction mode");
    });

    test("leaves no lock of a session behind", async () => {
      const client = await postgresConnection(url);
      const { rows } = await client.query(
        "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())",
      );
      await client.end();
      expect(rows).toEqual([]);
    });
  });
});

test("a URL of the server itself goes with a pooler only", () => {
  const open = (url: string, livenessUrl: string) => () => createKnexStorage({ url, livenessUrl });
  const direct = "postgres://db/postern";
  expect(open(direct, direct)).toThrow(/^livenessUrl: /);
  expect(open("sqlite:x.db", direct)).toThrow(/^livenessUrl: /);
  expect(open(direct + parameter, direct + parameter)).toThrow(/^livenessUrl: /);
  expect(open(direct + parameter, "mysql://db/postern")).toThrow(/^livenessUrl: /);
  expect(open(direct + parameter, "postgres://")).toThrow(/^livenessUrl: the path/);
});
