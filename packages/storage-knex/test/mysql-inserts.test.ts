import { newEvent } from "@postern/core/testing";
import mysql from "mysql2";
import { afterEach, expect, test } from "vitest";
import { runPrepared } from "../src/mysql/connection.ts";
import { databaseProxy } from "./database-proxy.ts";
import { mariadb, onMariadb, openStorage } from "./databases.ts";

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

const every = (from: number, count: number) => Array.from({ length: count }, (_, at) => from + at);

const connectionTo = (url: string) => {
  const connection = mysql.createConnection(url);
  connection.on("error", () => undefined);
  closers.push(() => connection.destroy());
  return connection;
};

/** A proxy of the database that passes answers on only while the test allows it. */
const muteProxy = async (url: string) => {
  let isMute = false;
  const proxy = await databaseProxy(url, (client, upstream) => {
    client.pipe(upstream);
    upstream.on("data", (chunk) => {
      if (!isMute) client.write(chunk);
    });
  });
  closers.push(proxy.close);
  return {
    url: proxy.url,
    mute: () => {
      isMute = true;
    },
  };
};

onMariadb("inserts", () => {
  test("keep batches of every size, with every byte, in the order of arrival", { timeout: 60_000 }, async () => {
    const { storage } = await mariadb.fresh();
    const bytes = Uint8Array.from(every(0, 256));
    let sent = 0;
    for (const size of [...every(1, 66), 130]) {
      // The keys are in descending order, and some columns are empty in a part of the batch.
      const events = every(sent, size).map((n) =>
        newEvent(`evt_${9_999_999 - n} 'é€😀`, {
          body: bytes,
          type: n % 3 === 0 ? undefined : "a.b",
          eventId: `e${n}`,
          receivedAt: n,
        }),
      );
      const outcomes = await storage.events.accept(events);
      expect(outcomes.map(({ outcome }) => outcome)).toEqual(events.map(() => "accepted"));
      const ids = outcomes.map(({ id }) => id);
      expect(ids).toEqual(ids.toSorted((left, right) => left - right));
      const stored = await storage.events.load(ids);
      const byId = new Map(stored.map((each) => [each.id, each]));
      for (const [at, event] of events.entries()) {
        expect(byId.get(ids[at] ?? 0)).toMatchObject({
          dedupeKey: event.dedupeKey,
          eventId: event.eventId,
          type: event.type,
          occurredAt: event.occurredAt,
        });
        expect(Buffer.compare(byId.get(ids[at] ?? 0)?.body ?? bytes.subarray(1), bytes)).toBe(0);
      }
      sent += size;
    }
  });

  test("take each event once when batches share many keys in different orders", { timeout: 60_000 }, async () => {
    const first = await mariadb.fresh();
    const second = openStorage({ url: mariadb.urlOf(first), connections: 5 });
    for (const round of every(0, 30)) {
      const events = every(0, 24).map((n) => newEvent(`evt_${round}_${n}`));
      const batches = [events, events.toReversed(), [...events.slice(12), ...events.slice(0, 12)], events];
      const answers = await Promise.all(
        batches.map((batch, at) => (at % 2 === 0 ? first : second).storage.events.accept(batch)),
      );
      const accepted = answers.flat().flatMap(({ outcome, id }) => (outcome === "accepted" ? [id] : []));
      expect(new Set(accepted).size).toBe(24);
      expect(accepted).toHaveLength(24);
      for (const event of await first.storage.events.load(accepted)) expect(event.repeats).toBe(3);
    }
  });

  test("run unprepared if the server can keep no more prepared statements", async () => {
    const storage = await mariadb.fresh();
    const connection = connectionTo(mariadb.urlOf(storage));
    // The server's bound would affect all of its users, so this test only imitates its answer.
    const full = Object.assign(Object.create(connection), {
      execute: (_options: unknown, done: (error: Error) => void) =>
        done(Object.assign(new Error("Can't create more than max_prepared_stmt_count statements"), { errno: 1461 })),
    });
    expect(await runPrepared(full, "SELECT ? AS given", ["it's"])).toEqual([{ given: "it's" }]);
    expect(await runPrepared(connection, "SELECT ? AS given", ["it's"])).toEqual([{ given: "it's" }]);
  });

  test("end when the server does not answer the request to prepare", { timeout: 20_000 }, async () => {
    const proxy = await muteProxy(mariadb.urlOf(await mariadb.fresh()));
    const connection = connectionTo(proxy.url);
    await runPrepared(connection, "SELECT 1 AS one", []);
    proxy.mute();
    await expect(runPrepared(connection, "SELECT 2 AS two", [])).rejects.toMatchObject({
      code: "PROTOCOL_SEQUENCE_TIMEOUT",
    });
  });
});
