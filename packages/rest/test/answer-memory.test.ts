import { virtualClock } from "@postern/core/memory";
import { rejectsWith } from "@postern/core/testing";
import { expect, test } from "vitest";
import { createAnswerMemory } from "../src/limits/answer-memory.ts";

const mebibyte = 1024 * 1024;
const list = 400_000;

const scene = () => {
  const clock = virtualClock();
  const memory = createAnswerMemory({ bytes: 32 * mebibyte, waiting: 200, waitMs: 2_000 }, 8 * mebibyte, clock);
  const open = (network: string) => memory.open({ network, user: network });
  return { clock, open };
};

test("a small answer begins at once while large ones hold their room and wait for more", async () => {
  const { open } = scene();
  for (let n = 0; n < 3; n += 1)
    void open(`greedy-${n}`)
      .forRows(8 * mebibyte)
      .catch(() => undefined);
  await open("modest").forRows(list);
});

test("small answers of one network leave half of what is kept for them to others", async () => {
  const { clock, open } = scene();
  for (let n = 0; n < 2; n += 1)
    void open(`large-${n}`)
      .forRows(8 * mebibyte)
      .catch(() => undefined);
  let begun = 0;
  const greedy = Array.from({ length: 40 }, () =>
    open("greedy")
      .forRows(list)
      .then(() => {
        begun += 1;
      }),
  );
  await open("modest").forRows(list);
  expect(begun).toBeLessThan(20);
  void Promise.allSettled(greedy);
  await clock.advance(2_000);
});

test("rows give back what they did not need, so that others read while this answer waits for texts", async () => {
  const { open } = scene();
  const first = open("a");
  await first.forRows(8 * mebibyte);
  const second = open("b");
  let begun = false;
  const waiting = second.forRows(8 * mebibyte).then(() => {
    begun = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(begun).toBe(false);
  first.keepForRows(100_000);
  await waiting;
  // What is given back is given back once.
  first.release();
  second.release();
  await Promise.all([open("c").forRows(8 * mebibyte), open("d").forRows(4 * mebibyte)]);
});

test("one of the largest answers has its texts at a time, and the next one waits as long as it took", async () => {
  const { clock, open } = scene();
  const first = open("a");
  await first.forTexts(8 * mebibyte);
  const second = open("b");
  let begun = false;
  const waiting = second.forTexts(8 * mebibyte).then(() => {
    begun = true;
  });
  await clock.advance(100);
  first.release();
  await clock.advance(99);
  expect(begun).toBe(false);
  await clock.advance(1);
  await waiting;
  await clock.advance(0);
  const refused = rejectsWith("overloaded", () => open("c").forTexts(1));
  await clock.advance(2_000);
  await refused;
});
