import { createFeed, type Feed, type FeedNews, mostFeedReaders } from "@postern/app/internal";
import { memoryPorts, memoryWriters, virtualClock } from "@postern/core/memory";
import type { FeedStore } from "@postern/core/ports";
import { newEvent } from "@postern/core/testing";
import { expect, test } from "vitest";

const everything = { wants: () => true };

/** Two processes on the same rows, each with a feed, under one clock. */
const scene = (processes = 2) => {
  const clock = virtualClock();
  const nodes = memoryWriters(processes).map((storage) => {
    const ports = memoryPorts({ clock, storage });
    let looks = 0;
    let isAway = false;
    let setbacks = 0;
    let lost = 0;
    const watched: FeedStore = {
      ...storage.feed,
      number: () => storage.feed.number().finally(() => (looks += 1)),
      read: async (after, limit) => {
        if (isAway) throw new Error("away");
        const found = await storage.feed.read(after + lost, limit);
        return found.map((commit) => ({ ...commit, place: commit.place - lost }));
      },
      newest: async () => (await storage.feed.newest()) - lost,
      has: (place) => storage.feed.has(place + lost),
    };
    return {
      ports,
      feed: createFeed({
        ...ports,
        storage: { ...storage, feed: watched, past: { ...storage.past, setbacks: () => setbacks } },
      }),
      looks: () => looks,
      /** Takes the last commits away, as a failover does. The places of the next ones are theirs. */
      goBack: (commits: number) => {
        lost += commits;
        setbacks += 1;
      },
      setAway: (away: boolean) => {
        isAway = away;
      },
      store: (...keys: readonly string[]) => storage.events.accept(keys.map((key) => newEvent(key, { jobs: [] }))),
    };
  });
  const [here, there = here] = nodes;
  if (here === undefined || there === undefined) throw new Error("no process");
  return { clock, here, there };
};

/** What a reader takes, as its names, while time passes. */
const follow = async (
  feed: Feed,
  clock: ReturnType<typeof virtualClock>,
  options: Partial<Parameters<Feed["open"]>[0]> = {},
) => {
  const reader = feed.open({ ...everything, ...options });
  const told: string[] = [];
  let last: Extract<FeedNews, { kind: "quiet" }>["position"] | undefined;
  const reading = (async () => {
    for (;;) {
      const news = await reader.next();
      if (news.kind === "entries") {
        for (const { entry, place, part } of news.entries) {
          told.push(entry.kind === "event" ? (entry.event.eventId ?? "") : entry.kind);
          last = { place, part };
        }
      } else {
        if (news.kind !== "quiet" || last !== undefined)
          told.push(news.kind === "end" ? `end: ${news.why}` : news.kind);
        if (news.kind === "end") return;
        last = news.position;
      }
    }
  })();
  await clock.advance(0);
  return { told, reader, reading, position: () => last };
};

test("a reader gets what happens from now on, within a second, and within 0.1 s from its own process", async () => {
  const { clock, here, there } = scene();
  await here.store("before");
  const { told } = await follow(here.feed, clock);
  expect(told).toEqual([]);
  await here.store("mine");
  here.feed.wake();
  await clock.advance(100);
  expect(told).toEqual(["mine"]);
  await there.store("theirs");
  await clock.advance(500);
  expect(told).toEqual(["mine"]);
  await clock.advance(600);
  expect(told).toEqual(["mine", "theirs"]);
});

test("a reader goes on elsewhere from its last entry, also inside of a commit, and misses and repeats nothing", async () => {
  const { clock, here, there } = scene();
  const first = await follow(here.feed, clock);
  await here.store("a", "b", "c");
  await there.store("d");
  await clock.advance(1_100);
  expect(first.told).toEqual(["a", "b", "c", "d"]);
  first.reader.end();
  const [commit] = await here.ports.storage.feed.read(0, 1);
  const afterB = { place: commit?.place ?? 0, part: commit?.entries[1]?.part ?? 0 };
  await here.store("e");
  const second = await follow(there.feed, clock, { after: afterB });
  await clock.advance(1_100);
  expect(second.told).toEqual(["c", "d", "e"]);
  const position = second.position();
  second.reader.end();
  await here.store("f");
  const third = await follow(here.feed, clock, position === undefined ? {} : { after: position });
  await clock.advance(1_100);
  expect(third.told).toEqual(["f"]);
});

test("the database is asked once a second, however many readers there are and however much comes", async () => {
  const { clock, here } = scene();
  const readers = await Promise.all(Array.from({ length: 10 }, () => follow(here.feed, clock)));
  const before = here.looks();
  await clock.advance(10_000);
  // Each look asks once when there is nothing.
  expect(here.looks() - before).toBe(10);
  for (const { reader } of readers) reader.end();
  await clock.advance(0);
  const rest = here.looks();
  await clock.advance(60_000);
  expect(here.looks()).toBe(rest);
  expect(clock.pendingTimers()).toBe(0);
});

test("what this process stores is looked for ten times a second at most", async () => {
  const { clock, here } = scene();
  const { told } = await follow(here.feed, clock);
  const before = here.looks();
  for (let n = 0; n < 100; n += 1) {
    await here.store(`evt_${n}`);
    here.feed.wake();
    await clock.advance(10);
  }
  await clock.advance(1_000);
  expect(told).toHaveLength(100);
  // Over two seconds; a look that finds something asks twice.
  expect(here.looks() - before).toBeLessThan(2 * 22);
});

test("a reader that is slow gets the rest from the database", async () => {
  const { clock, here } = scene();
  const slow = here.feed.open(everything);
  const begun = slow.next();
  const quick = await follow(here.feed, clock);
  expect(await begun).toMatchObject({ kind: "quiet" });
  await here.store("first");
  await clock.advance(1_100);
  expect(await slow.next()).toMatchObject({ kind: "entries" });
  const keys = Array.from({ length: 60 }, (_, commit) => Array.from({ length: 100 }, (_, n) => `${commit}-${n}`));
  for (const commit of keys) await here.store(...commit);
  await clock.advance(1_100);
  expect(quick.told).toHaveLength(6_001);
  const rest: string[] = [];
  while (rest.length < 6_000) {
    const news = await slow.next();
    if (news.kind !== "entries") throw new Error(news.kind);
    for (const { entry } of news.entries) if (entry.kind === "event") rest.push(entry.event.eventId ?? "");
  }
  expect(rest).toEqual(keys.flat());
});

test("a reader hears nothing for 15 s, then that nothing came, and where it is now", async () => {
  const { clock, here } = scene();
  const { told, position } = await follow(here.feed, clock, { wants: ({ kind }) => kind === "alert" });
  await here.store("unwanted");
  await clock.advance(14_900);
  expect(told).toEqual([]);
  await clock.advance(200);
  expect(told).toEqual(["quiet"]);
  expect(position()?.place).toBe(await here.ports.storage.feed.newest());
});

test("a reader is told when what it missed is gone, and when its position is unknown", async () => {
  const { clock, here } = scene();
  await here.store("a");
  const first = await follow(here.feed, clock, { after: { place: 0, part: 0 } });
  expect(first.told).toEqual(["a"]);
  const position = first.position();
  first.reader.end();
  await here.store("b");
  await here.store("c");
  await here.ports.storage.feed.number();
  await here.ports.storage.feed.prune(Number.MAX_SAFE_INTEGER, 2);
  const second = await follow(here.feed, clock, position === undefined ? {} : { after: position });
  await clock.advance(1_100);
  expect(second.told).toEqual(["reset", "c"]);
  const third = await follow(here.feed, clock, { after: { place: 999, part: 1 } });
  await here.store("d");
  await clock.advance(1_100);
  expect(third.told).toEqual(["reset", "d"]);
});

test("a reader ends after ten minutes, when the feed closes, and when it wants to; then it answers nothing else", async () => {
  const { clock, here } = scene();
  const first = await follow(here.feed, clock);
  await clock.advance(10 * 60_000);
  expect(first.told.at(-1)).toBe("end: over");
  const second = await follow(here.feed, clock);
  second.reader.end();
  await second.reading;
  expect(second.told).toEqual(["end: closed"]);
  const third = await follow(here.feed, clock);
  here.feed.close();
  await third.reading;
  expect(third.told).toEqual(["end: closed"]);
  expect(await here.feed.open(everything).next()).toEqual({ kind: "end", why: "closed" });
});

test("there are so many readers and no more, and one that nobody asks any more is forgotten", async () => {
  const { clock, here } = scene();
  const readers = Array.from({ length: mostFeedReaders }, () => here.feed.open(everything));
  expect(() => here.feed.open(everything)).toThrow("readers of the feed");
  readers[0]?.end();
  here.feed.open(everything);
  expect(() => here.feed.open(everything)).toThrow("readers of the feed");
  await clock.advance(11 * 60_000);
  here.feed.open(everything);
});

test("while the database is away a reader waits, and then gets everything", async () => {
  const { clock, here } = scene();
  const { told } = await follow(here.feed, clock);
  await here.store("a");
  here.setAway(true);
  await clock.advance(3_000);
  expect(told).toEqual([]);
  here.setAway(false);
  await clock.advance(1_100);
  expect(told).toEqual(["a"]);
});

test("alerts go on as before, and into the feed", async () => {
  const { clock, here } = scene();
  const { told } = await follow(here.feed, clock);
  const alert = { kind: "job.dead", text: "A job is dead.", details: {} };
  here.feed.alerts.raise(alert);
  await clock.advance(200);
  expect(here.ports.alerts.raised).toEqual([alert]);
  expect(told).toEqual(["alert"]);
});

test("a reader of a database that went back is told so, and gets what comes then", async () => {
  const { clock, here } = scene(1);
  await here.store("a");
  await here.store("b");
  await here.store("c");
  const reader = await follow(here.feed, clock, { after: { place: 0, part: 0 } });
  await clock.advance(2_000);
  expect(reader.told).toEqual(["a", "b", "c"]);
  // Two commits are lost: the places 2 and 3 come again.
  here.goBack(2);
  await clock.advance(2_000);
  await here.store("d");
  await clock.advance(2_000);
  expect(reader.told).toEqual(["a", "b", "c", "reset", "d"]);
});
