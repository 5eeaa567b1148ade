import { expect, test } from "vitest";
import { AppError } from "../src/errors/app-error.ts";
import { createErrorAnswer } from "../src/errors/error-answer.ts";
import { memoryTelemetry, virtualClock } from "../src/memory/index.ts";

const scene = () => {
  const telemetry = memoryTelemetry();
  const clock = virtualClock();
  const errorAnswer = createErrorAnswer({ telemetry, clock });
  const request = { path: "/api/v2/users/me", requestId: "one" };
  const fail = (thrown: unknown, times: number): void => {
    for (let n = 0; n < times; n += 1) expect(errorAnswer(thrown, request).status).toBeGreaterThanOrEqual(500);
  };
  const linesOf = (text: string) => telemetry.entries.filter(({ message }) => message === text);
  return { telemetry, clock, errorAnswer, fail, linesOf };
};

test("of failures that are alike ten a minute have a line, and one more line has the number of the others", async () => {
  const { clock, fail, linesOf } = scene();
  fail(new AppError("unavailable", { detail: "No keys." }), 9_325);
  fail(new TypeError("a bug"), 10);
  expect(linesOf("request failed").length).toBe(20);
  await clock.advance(60_000);
  expect(linesOf("further requests failed in the same way").map(({ fields }) => fields)).toEqual([
    { code: "unavailable", further: 9_315 },
  ]);
  fail(new TypeError("a bug"), 1);
  expect(linesOf("request failed").length).toBe(21);
});

test("failures whose message holds what the caller sent do not have lines without end", () => {
  const { fail, linesOf } = scene();
  for (let n = 0; n < 5_000; n += 1) fail(new Error(`cannot read ${n}`), 1);
  expect(linesOf("request failed").length).toBe(60);
});

test("a path is written in part, however long it is", () => {
  const { errorAnswer, linesOf } = scene();
  errorAnswer(new Error("a bug"), { path: `/${"x".repeat(8_000)}`, requestId: "one" });
  expect(String(linesOf("request failed")[0]?.fields?.path).length).toBe(200);
});
