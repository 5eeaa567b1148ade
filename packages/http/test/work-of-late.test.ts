import { expect, test } from "vitest";
import { createWorkOfLate } from "../src/work-of-late.ts";

const scene = () => {
  const clock = { ms: 0 };
  return { clock, work: createWorkOfLate(() => clock.ms) };
};

test("the only network makes as much as the average", () => {
  const { clock, work } = scene();
  expect(work.isAboveAverage("a")).toBe(true);
  work.note("a", 1);
  clock.ms = 1_234;
  work.note("a", 3);
  clock.ms = 1_900;
  expect(work.isAboveAverage("a")).toBe(true);
});

test("a network that makes less than the average is told apart from those that make more", () => {
  const { work } = scene();
  for (const network of ["b", "c", "d"]) work.note(network, 300);
  work.note("modest", 40);
  expect(work.isAboveAverage("modest")).toBe(false);
  expect(work.isAboveAverage("b")).toBe(true);
  expect(work.isAboveAverage("newcomer")).toBe(false);
});

test("a network is far below the average when it makes less than half of it", () => {
  const { work } = scene();
  expect(work.isFarBelowAverage("a")).toBe(false);
  work.note("a", 10);
  expect(work.isFarBelowAverage("a")).toBe(false);
  work.note("b", 20);
  expect(work.isFarBelowAverage("a")).toBe(false);
  work.note("b", 30);
  expect(work.isFarBelowAverage("a")).toBe(true);
  expect(work.isFarBelowAverage("b")).toBe(false);
  expect(work.isFarBelowAverage("newcomer")).toBe(true);
});

test("work counts less as time goes by, and networks that made none recently are not counted", () => {
  const { clock, work } = scene();
  work.note("once", 1_000);
  work.note("now", 1);
  expect(work.isAboveAverage("now")).toBe(false);
  clock.ms = 20_000;
  work.note("now", 1);
  expect(work.isAboveAverage("now")).toBe(true);
});
