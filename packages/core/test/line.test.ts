import type { Share } from "@postern/core";
import { createLine } from "@postern/core/internal";
import { virtualClock } from "@postern/core/memory";
import fc from "fast-check";
import { expect, test } from "vitest";

const refusal = () => new Error("refused");

const scene = (limits: Partial<Parameters<typeof createLine>[0]> = {}) => {
  const clock = virtualClock();
  const line = createLine({ most: 100, mostOfKey: 50, waiting: 8, refusal, ...limits }, clock);
  const begun: string[] = [];
  const shares = new Map<string, Share>();
  /** `name` is the key and a number, such as `a1`. */
  const take = async (name: string, cost = 40): Promise<void> => {
    const share = await line.take(name.slice(0, 1), cost);
    begun.push(name);
    shares.set(name, share);
  };
  const release = (name: string) => shares.get(name)?.release();
  return { clock, line, take, release, begun };
};

const settled = () => new Promise((resolve) => setImmediate(resolve));

test("what does not fit waits until others give back what they took", async () => {
  const { line, take, release, begun } = scene();
  await take("a1");
  await take("b1");
  const third = take("c1");
  await settled();
  expect([begun, line.held, line.waiting]).toEqual([["a1", "b1"], 80, 1]);
  release("a1");
  await third;
  expect([begun, line.held, line.waiting]).toEqual([["a1", "b1", "c1"], 80, 0]);
});

test("a key takes its share at most, however much is free, and others do not wait for it", async () => {
  const { take, release, begun } = scene();
  await take("a1");
  const second = take("a2");
  await take("b1");
  expect(begun).toEqual(["a1", "b1"]);
  release("a1");
  await second;
  expect(begun).toEqual(["a1", "b1", "a2"]);
});

test("keys take turns, and the callers of each keep their order", async () => {
  const { take, release, begun } = scene({ most: 1, mostOfKey: 1 });
  await take("z1", 1);
  const all = ["a1", "a2", "a3", "b1", "c1"].map((name) => take(name, 1));
  await settled();
  for (const name of ["z1", "a1", "b1", "c1", "a2", "a3"]) {
    release(name);
    await settled();
  }
  await Promise.all(all);
  expect(begun).toEqual(["z1", "a1", "b1", "c1", "a2", "a3"]);
});

test("a key that takes much lets the others go first more often", async () => {
  const { take, release, begun } = scene({ most: 10, mostOfKey: 10, fairCost: 1 });
  await take("z1", 10);
  const all = [take("a1", 10), take("a2", 10), ...["b1", "b2", "b3"].map((name) => take(name, 1))];
  await settled();
  for (const name of ["z1", "a1", "b1", "b2", "b3", "a2"]) {
    release(name);
    await settled();
  }
  await Promise.all(all);
  expect(begun).toEqual(["z1", "a1", "b1", "b2", "b3", "a2"]);
});

test("a key that took much holds up nobody while it lets the others go first", async () => {
  const { take, release, begun } = scene({ most: 10, mostOfKey: 8, fairCost: 0.25 });
  await take("d1", 8);
  const waiting = [take("d2", 8)];
  await take("a1", 1);
  waiting.push(take("a2", 3), take("b1", 1));
  await settled();
  release("a1");
  await settled();
  // `a2` does not fit yet. As `a` took much, `b1` need not wait for it.
  expect(begun).toEqual(["d1", "a1", "b1"]);
  for (const name of ["b1", "d1", "a2", "d2"]) {
    release(name);
    await settled();
  }
  await Promise.all(waiting);
  expect(begun.toSorted()).toEqual(["a1", "a2", "b1", "d1", "d2"]);
});

test("a caller that needs less does not overtake the one whose turn it is", async () => {
  const { take, release, begun } = scene();
  await take("a1", 50);
  await take("b1", 20);
  const large = take("c1", 50);
  const small = take("d1", 10);
  await settled();
  expect(begun).toEqual(["a1", "b1"]);
  release("b1");
  await large;
  expect(begun).toEqual(["a1", "b1", "c1"]);
  release("a1");
  await small;
});

test("beyond the number that may wait, of all keys or of one, a caller is refused at once", async () => {
  const { line, take } = scene({ most: 1, mostOfKey: 1, waiting: 3, waitingOfKey: 2 });
  await take("z1", 1);
  for (const name of ["a1", "a2"]) void take(name, 1);
  expect(() => line.take("a")).toThrow("refused");
  void take("b1", 1);
  expect(() => line.take("c")).toThrow("refused");
  expect(line.takeFree("c")).toBeUndefined();
});

test("a caller that waits for too long is refused, and holds up nobody any more", async () => {
  const { clock, line, take, begun } = scene({ waitMs: 1_000 });
  await take("a1", 50);
  await take("b1", 40);
  const large = take("c1", 50);
  await clock.advance(500);
  const small = take("d1", 10);
  expect(line.waiting).toBe(2);
  const [refused] = await Promise.allSettled([large, clock.advance(600)]);
  expect(refused.status).toBe("rejected");
  await small;
  expect(begun).toEqual(["a1", "b1", "d1"]);
  expect(clock.pendingTimers()).toBe(0);
});

test("more than a key may take is lowered to that", async () => {
  const { line, take } = scene();
  await take("a1", 1_000);
  expect(line.heldBy("a")).toBe(50);
});

test("a part can be given back, and all of it twice without harm", async () => {
  const { line } = scene();
  const share = await line.take("a", 40);
  share.keep(10);
  share.keep(20);
  expect(line.held).toBe(10);
  share.release();
  share.release();
  expect([line.held, line.heldBy("a")]).toEqual([0, 0]);
});

test("whatever comes and goes, the bounds hold, everybody has a turn, and nothing is left", async () => {
  const step = fc.record({
    key: fc.constantFrom("a", "b", "c"),
    cost: fc.integer({ min: 1, max: 12 }),
    releases: fc.nat({ max: 3 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const line = createLine({ most: 10, mostOfKey: 6, waiting: 1_000, refusal }, virtualClock());
      const open: Share[] = [];
      const of = new Map<string, number[]>();
      let begun = 0;
      const check = () => {
        expect(line.held).toBeLessThanOrEqual(10);
        for (const key of ["a", "b", "c"]) expect(line.heldBy(key)).toBeLessThanOrEqual(6);
      };
      const all = steps.map(async ({ key, cost, releases }, index) => {
        const share = await line.take(key, cost);
        begun += 1;
        of.set(key, [...(of.get(key) ?? []), index]);
        open.push(share);
        check();
        for (let times = 0; times < releases; times += 1) open.shift()?.release();
      });
      for (let times = 0; times < 4 * steps.length && begun < steps.length; times += 1) {
        open.shift()?.release();
        await settled();
      }
      await Promise.all(all);
      for (const indexes of of.values()) expect(indexes).toEqual(indexes.toSorted((one, other) => one - other));
      for (const share of open) share.release();
      expect([line.held, line.waiting]).toEqual([0, 0]);
    }),
  );
});
