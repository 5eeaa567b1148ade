import { virtualClock } from "@postern/core/memory";
import { rejectsWith } from "@postern/core/testing";
import { expect, test } from "vitest";
import { type AnswerMemoryLimit, createAnswerMemory } from "../src/limits/answer-memory.ts";

const mebibyte = 1024 * 1024;
const list = 400_000;
const standard: AnswerMemoryLimit = { bytes: 32 * mebibyte, waiting: 1_000, waitMs: 2_000 };

/** `rows` and `texts` take memory for an answer to a network, and note its name when they have it. */
const scene = (limit: Partial<AnswerMemoryLimit> = {}) => {
  const clock = virtualClock();
  const open = createAnswerMemory({ ...standard, ...limit }, 8 * mebibyte, clock);
  const begun: string[] = [];
  const rows = async (network: string, bytes = 8 * mebibyte) => {
    const memory = open(network);
    await memory.forRows(bytes);
    begun.push(network);
    return memory;
  };
  const texts = async (network: string, bytes = 8 * mebibyte) => {
    const memory = open(network);
    await memory.forTexts(bytes);
    begun.push(network);
    return memory;
  };
  return { clock, rows, texts, begun };
};

const settled = () => new Promise((resolve) => setImmediate(resolve));
const ignore = (): undefined => undefined;

test("a small answer begins at once while large ones hold their memory and wait for more", async () => {
  const { rows } = scene();
  for (let n = 0; n < 3; n += 1) void rows(`greedy-${n}`);
  await rows("modest", list);
});

test("small answers of one network leave half of what is kept for them to others", async () => {
  const { rows, begun } = scene();
  for (const network of ["large-1", "large-2"]) void rows(network);
  for (let n = 0; n < 40; n += 1) void rows("greedy", list);
  await rows("modest", list);
  expect(begun.filter((network) => network === "greedy").length).toBeLessThan(20);
});

test("a network holds at most half, however much is free, but always one answer", async () => {
  const { rows, begun } = scene();
  const first = await rows("a");
  const second = rows("a", mebibyte);
  await rows("b", 4 * mebibyte);
  expect(begun).toEqual(["a", "b"]);
  first.release();
  await second;
});

test("an answer that wants more than there is takes all of it", async () => {
  const { rows, texts } = scene({ bytes: 2 * mebibyte });
  await rows("a", 100 * mebibyte);
  await texts("a", 100 * mebibyte);
});

test("a network that takes much lets the others go first", async () => {
  const { rows, begun } = scene();
  let open = await rows("x");
  const waiting = ["greedy", "greedy", "modest", "modest"].map((network) =>
    rows(network, network === "greedy" ? 8 * mebibyte : 5 * mebibyte),
  );
  for (const next of [0, 2, 3, 1]) {
    open.release();
    open = await (waiting[next] ?? open);
  }
  expect(begun).toEqual(["x", "greedy", "modest", "modest", "greedy"]);
});

test("rows give back what they did not need, so that others read while this answer waits for texts", async () => {
  const { rows, begun } = scene();
  const first = await rows("a");
  const waiting = rows("b");
  await settled();
  expect(begun).toEqual(["a"]);
  first.keepForRows(100_000);
  const second = await waiting;
  // What is given back is given back once.
  first.release();
  second.release();
  await Promise.all([rows("c"), rows("d", 4 * mebibyte)]);
});

test("one of the largest answers has its texts at a time, and those who wait do so for as long as it took", async () => {
  const { clock, texts, begun } = scene();
  const first = await texts("a");
  const second = texts("b");
  await clock.advance(100);
  first.release();
  await clock.advance(99);
  expect(begun).toEqual(["a"]);
  await clock.advance(1);
  await second;
  const third = texts("c");
  await clock.advance(1_000);
  (await second).release();
  // A quarter of the time that a request may wait.
  await clock.advance(499);
  expect(begun).toEqual(["a", "b"]);
  await clock.advance(1);
  (await third).release();
  // Nobody waited for these.
  await texts("d");
});

test("an answer takes memory for its texts once", async () => {
  const { texts } = scene();
  await (await texts("a")).forTexts(8 * mebibyte);
});

test("an answer that has waited for two seconds is refused, and so is one beyond those that may wait", async () => {
  const { clock, rows, texts } = scene({ waiting: 10 });
  await Promise.all([rows("a"), texts("a")]);
  const late = [rows("b"), texts("b")].map((one) => rejectsWith("overloaded", () => one));
  void rows("b").catch(ignore);
  const refused = await rejectsWith("overloaded", () => rows("b"));
  expect(refused.headers["retry-after"]).toBe("1");
  // Two may wait of each network, ten of all.
  const others = ["c", "c", "d", "d", "e", "e", "f", "f"].map((network) => rows(network).catch(ignore));
  await rejectsWith("overloaded", () => rows("g"));
  await clock.advance(2_100);
  await Promise.all([...late, ...others]);
});
