import { expect, test } from "vitest";
import type { OperationAnswer } from "../src/operations/operation.ts";
import { conditionalAnswer } from "../src/preconditions/conditional-answer.ts";
import { preconditionsOf } from "../src/preconditions/preconditions.ts";

/** Answers a GET with a body, and counts how often the body is written and digested. */
const scene = (more: Partial<OperationAnswer> = {}) => {
  const times = { written: 0, digested: 0 };
  const body = {
    toJSON: () => {
      times.written += 1;
      return { openapi: "3.1.1" };
    },
  };
  const secretBox = {
    digest: async () => {
      times.digested += 1;
      return "digest";
    },
  };
  const request = {
    operation: { method: "GET" },
    facts: { version: { id: "v2" } },
    preconditions: preconditionsOf(() => undefined, false),
  } as unknown as Parameters<typeof conditionalAnswer>[1];
  const answer = () => conditionalAnswer(secretBox, request, { status: 200, body, ...more });
  return { times, answer };
};

test("a document that stays the same is written and digested once", async () => {
  const { times, answer } = scene({ isLasting: true });
  const [first, second] = await Promise.all([answer(), answer()]);
  const third = await answer();
  expect([first.text, second.text, third.text]).toEqual(Array.from({ length: 3 }, () => '{"openapi":"3.1.1"}'));
  expect(third.headers?.etag).toBe(first.headers?.etag);
  expect(times).toEqual({ written: 1, digested: 1 });
});

test("any other answer is written anew", async () => {
  const { times, answer } = scene();
  await answer();
  await answer();
  expect(times).toEqual({ written: 2, digested: 2 });
});
