import { newEvent } from "@postern/core/testing";
import { expect, test } from "vitest";
import {
  mariadb,
  onEachDatabase,
  onMariadb,
  onPostgres,
  openStorage,
  postgres,
  type TestDatabases,
} from "./databases.ts";

/** The keys of the events behind a place. */
const keysBehind = async ({ feed }: ReturnType<typeof openStorage>["storage"], place: number) =>
  (await feed.read(place, 100)).flatMap(({ entries }) =>
    entries.map((entry) => (entry.kind === "event" ? entry.event.eventId : entry.kind)),
  );

const lateCommits = (databases: TestDatabases) => () => {
  test("has a commit that comes late behind those before it, though its events have smaller ids", async () => {
    const url = databases.url();
    const here = await databases.fresh({ url });
    const there = openStorage({ url });
    // A transaction that finds no block of numbers reserves its own, and others would wait for it.
    await here.storage.events.accept([newEvent("first")]);
    await there.storage.events.accept([newEvent("second")]);
    await here.storage.feed.number();
    const before = await here.storage.feed.newest();
    let commit = (): void => undefined;
    let stored = (): void => undefined;
    const isStored = new Promise<void>((resolve) => (stored = resolve));
    const late = here.storage.transaction(async ({ events }) => {
      await events.accept([newEvent("late")]);
      stored();
      await new Promise<void>((resolve) => (commit = resolve));
    });
    await isStored;
    await there.storage.events.accept([newEvent("early")]);
    // Neither waits for the transaction that is under way.
    expect(await there.storage.feed.number()).toBe(1);
    expect(await keysBehind(there.storage, before)).toEqual(["early"]);
    const seen = await there.storage.feed.newest();
    commit();
    await late;
    const ids = (await here.storage.events.list({ limit: 10 })).map(({ id, eventId }) => [eventId, id]);
    const { early, late: lateId } = Object.fromEntries(ids);
    expect(lateId).toBeLessThan(early);
    await Promise.all([here.storage.feed.number(), there.storage.feed.number()]);
    expect(await keysBehind(here.storage, seen)).toEqual(["late"]);
    expect(await keysBehind(there.storage, before)).toEqual(["early", "late"]);
    await here.close();
    await there.close();
  });
};

onMariadb("the feed on MariaDB", lateCommits(mariadb));
onPostgres("the feed on PostgreSQL", lateCommits(postgres));

onEachDatabase("the feed", (databases) => {
  test("is numbered by several processes while others write, and a reader misses and repeats nothing", async () => {
    const url = databases.url();
    const nodes = [await databases.fresh({ url }), openStorage({ url }), openStorage({ url })];
    let isWriting = true;
    const writing = Promise.all(
      nodes.map(async ({ storage }, node) => {
        for (let n = 0; n < 40; n += 1)
          await storage.events.accept([newEvent(`${node}-${n}-a`), newEvent(`${node}-${n}-b`)]);
      }),
    ).then(() => {
      isWriting = false;
    });
    const seen: (string | undefined)[] = [];
    let place = 0;
    for (let last = false; !last; ) {
      last = !isWriting;
      await Promise.all(nodes.map(({ storage }) => storage.feed.number()));
      const [first] = nodes;
      for (const found of (await first?.storage.feed.read(place, 1000)) ?? []) {
        place = found.place;
        for (const entry of found.entries) if (entry.kind === "event") seen.push(entry.event.eventId);
      }
    }
    await writing;
    expect(seen).toHaveLength(240);
    expect(new Set(seen).size).toBe(240);
    for (const { close } of nodes) await close();
  });
});
