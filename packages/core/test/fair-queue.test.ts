import { expect, test } from "vitest";
import { createFairQueue } from "../src/fair-queue.ts";

/** A queue in which `items` of each network wait. */
const queueOf = (items: Readonly<Record<string, number>>) => {
  const queue = createFairQueue<number>();
  for (const [network, count] of Object.entries(items)) {
    for (let item = 0; item < count; item += 1) queue.add(network, item);
  }
  return queue;
};

type Queue = ReturnType<typeof queueOf>;

/** The networks that are served next. Each item of a network in `charges` is charged so much. */
const served = (queue: Queue, count: number, charges: Readonly<Record<string, number>> = {}): string[] =>
  Array.from({ length: count }, () => {
    const network = queue.next()?.network ?? "nobody";
    const rounds = charges[network];
    if (rounds !== undefined) queue.charge(network, rounds);
    return network;
  });

test("the rest of an item goes before the other items of its network, and before those of no other", () => {
  const queue = queueOf({ a: 2, b: 1 });
  queue.addFirst("a", 7);
  queue.addFirst("c", 8);
  expect(queue.waiting).toBe(5);
  expect(Array.from({ length: 5 }, () => queue.next())).toEqual([
    { network: "a", item: 7 },
    { network: "b", item: 0 },
    { network: "c", item: 8 },
    { network: "a", item: 0 },
    { network: "a", item: 1 },
  ]);
});

test("networks take turns, and the items of each keep their order", () => {
  const queue = queueOf({ a: 3, b: 1 });
  expect([queue.next(), queue.next(), queue.next()]).toEqual([
    { network: "a", item: 0 },
    { network: "b", item: 0 },
    { network: "a", item: 1 },
  ]);
});

test("a network whose items make four times the work is served a fourth as often", () => {
  const order = served(queueOf({ heavy: 100, light: 100 }), 50, { heavy: 3 });
  const heavy = order.filter((network) => network === "heavy").length;
  expect(heavy).toBeGreaterThanOrEqual(9);
  expect(heavy).toBeLessThanOrEqual(11);
});

test("one light network beside eight heavy ones is served every third time", () => {
  const heavy = Object.fromEntries(Array.from({ length: 8 }, (_, n) => [`heavy-${n}`, 100]));
  const charges = Object.fromEntries(Object.keys(heavy).map((network) => [network, 4]));
  const order = served(queueOf({ ...heavy, light: 100 }), 90, charges);
  expect(order.filter((network) => network === "light").length).toBeGreaterThanOrEqual(30);
});

test("charged networks are served while nobody else waits", () => {
  const queue = queueOf({ a: 9, b: 9 });
  expect(served(queue, 4, { a: 8, b: 8 }).toSorted()).toEqual(["a", "a", "b", "b"]);
});

test("however much a network is charged, it passes eight rounds and no more", () => {
  const queue = queueOf({ huge: 2, small: 100 });
  expect(served(queue, 1, { huge: 1_000_000 })).toEqual(["huge"]);
  const next = served(queue, 20).indexOf("huge");
  expect(next).toBeGreaterThanOrEqual(7);
  expect(next).toBeLessThanOrEqual(17);
});

test("a charge ends when nothing waits any more", () => {
  const queue = queueOf({ a: 1, b: 1 });
  served(queue, 2, { a: 8 });
  for (const network of ["a", "b", "a", "b"]) queue.add(network, 0);
  expect(served(queue, 4)).toEqual(["a", "b", "a", "b"]);
});

test("an item that was taken out is not served, and counts no more", () => {
  const queue = queueOf({ a: 3, b: 1 });
  expect(queue.remove("a", 1)).toBe(true);
  expect(queue.remove("b", 0)).toBe(true);
  expect([queue.remove("b", 0), queue.remove("a", 7), queue.remove("c", 0)]).toEqual([false, false, false]);
  expect([queue.waiting, queue.waitingOf("a"), queue.networks]).toEqual([2, 2, 1]);
  expect([queue.next()?.item, queue.next()?.item, queue.next()]).toEqual([0, 2, undefined]);
});

test("a charge ends when the last item that waits is taken out", () => {
  const queue = queueOf({ a: 1, b: 1 });
  served(queue, 1, { a: 8 });
  queue.remove("b", 0);
  for (const network of ["a", "b", "a", "b"]) queue.add(network, 0);
  expect(served(queue, 4)).toEqual(["a", "b", "a", "b"]);
});
