import { virtualClock } from "@postern/core/memory";
import { rejectsWith } from "@postern/core/testing";
import { expect, test } from "vitest";
import { createFairRoom } from "../src/limits/fair-room.ts";

const scene = (limit: { readonly rests?: boolean } = {}) => {
  const clock = virtualClock();
  const room = createFairRoom({ bytes: 100, most: 40, waiting: 3, waitMs: 1_000, ...limit }, clock);
  const begun: string[] = [];
  const take = async (name: string, bytes = 40): Promise<number> => {
    const [network = "", user = ""] = name.split("/");
    const taken = await room.take({ network, user }, bytes);
    begun.push(name);
    return taken;
  };
  const release = (name: string, bytes = 40): void => {
    const [network = "", user = ""] = name.split("/");
    room.release({ network, user }, bytes);
  };
  return { clock, take, release, begun };
};

const settled = () => new Promise((resolve) => setImmediate(resolve));

test("lets what does not fit wait until others give back what they took", async () => {
  const { take, release, begun } = scene();
  expect(await Promise.all([take("a/1"), take("b/1")])).toEqual([40, 40]);
  const third = take("c/1");
  await settled();
  expect(begun).toEqual(["a/1", "b/1"]);
  release("a/1");
  expect(await third).toBe(40);
});

test("gives a network half at most, however much is free", async () => {
  const { take, begun } = scene();
  await take("a/1");
  void take("a/2");
  await settled();
  expect(begun).toEqual(["a/1"]);
  await take("b/1");
  expect(begun).toEqual(["a/1", "b/1"]);
});

test("begins with the network, and in it with the user, that took the least of late", async () => {
  const { take, release, begun } = scene();
  for (let n = 0; n < 3; n += 1) {
    await take("greedy/1");
    release("greedy/1");
  }
  await Promise.all([take("x/1"), take("y/1")]);
  const waiting = [take("greedy/1"), take("greedy/2"), take("modest/1")];
  await settled();
  begun.length = 0;
  release("x/1");
  await settled();
  release("y/1");
  await settled();
  release("modest/1");
  release("greedy/2");
  await Promise.all(waiting);
  expect(begun).toEqual(["modest/1", "greedy/2", "greedy/1"]);
});

test("refuses callers that have waited for too long, and those that come when too many wait", async () => {
  const { clock, take, release } = scene();
  await Promise.all([take("a/1"), take("b/1")]);
  const waiting = ["c/1", "d/1", "e/1"].map((name) => rejectsWith("overloaded", () => take(name)));
  const refused = await rejectsWith("overloaded", () => take("e/2"));
  expect(refused.headers["retry-after"]).toBe("1");
  await clock.advance(1_000);
  await Promise.all(waiting);
  // Nothing was taken for those who were refused.
  release("a/1");
  release("b/1");
  expect(await Promise.all([take("c/1"), take("d/1")])).toEqual([40, 40]);
});

test("takes all that there is for a request that wants more", async () => {
  const { take } = scene();
  expect(await take("a/1", 1_000)).toBe(40);
});

test("gives the place in a full line of the network that has most of it to a newcomer", async () => {
  const { take, release, begun } = scene();
  await Promise.all([take("a/1"), take("b/1")]);
  const first = [take("greedy/3"), take("greedy/4")];
  const last = take("greedy/5");
  const newcomer = take("modest/6");
  await rejectsWith("overloaded", () => last);
  await rejectsWith("overloaded", () => take("greedy/7"));
  release("a/1");
  release("b/1");
  await Promise.all([first[0], newcomer]);
  expect(begun).toEqual(["a/1", "b/1", "greedy/3", "modest/6"]);
});

test("rests after each round for as long as it took, and lets nobody join a round", async () => {
  const { clock, take, release, begun } = scene({ rests: true });
  await take("a/1");
  const waiting = [take("b/1"), take("c/1"), take("d/1", 20)];
  await settled();
  await clock.advance(30);
  expect(begun).toEqual(["a/1"]);
  release("a/1");
  await clock.advance(29);
  expect(begun).toEqual(["a/1"]);
  await clock.advance(1);
  await Promise.all(waiting);
  expect(begun).toEqual(["a/1", "b/1", "c/1", "d/1"]);
});

test("rests no longer than a quarter of the time that a request may wait", async () => {
  const { clock, take, release, begun } = scene({ rests: true });
  await take("a/1");
  await clock.advance(900);
  const next = take("b/1");
  release("a/1");
  await clock.advance(250);
  await next;
  expect(begun).toEqual(["a/1", "b/1"]);
});

test("takes what is free without waiting, and nothing while somebody waits for it", async () => {
  const clock = virtualClock();
  const room = createFairRoom({ bytes: 100, most: 100, waiting: 3, waitMs: 1_000 }, clock);
  const caller = { network: "a", user: "1" };
  expect(room.takeFree(caller, 40)).toBe(true);
  expect(room.takeFree({ network: "b", user: "2" }, 80)).toBe(false);
  void room.take({ network: "b", user: "2" }, 80).catch(() => undefined);
  expect(room.takeFree({ network: "c", user: "3" }, 10)).toBe(false);
  room.release(caller, 40);
  expect(room.takeFree({ network: "c", user: "3" }, 10)).toBe(true);
});
