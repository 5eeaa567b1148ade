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
    operation: { method: "GET", access: "public", success: {} },
    facts: { version: { id: "v2" } },
    preconditions: preconditionsOf(() => undefined, false),
  } as unknown as Parameters<typeof conditionalAnswer>[1];
  const answer = () => conditionalAnswer(secretBox, request, { status: 200, body, ...more });
  return { times, answer, request };
};

test("a document that stays the same is written and digested once", async () => {
  const { times, answer } = scene({ isLasting: true });
  const [first, second] = await Promise.all([answer(), answer()]);
  const third = await answer();
  expect([first.text, second.text, third.text]).toEqual(Array.from({ length: 3 }, () => '{"openapi":"3.1.1"}'));
  expect(third.headers?.etag).toBe(first.headers?.etag);
  expect(times).toEqual({ written: 1, digested: 1 });
});

test("a page that stays the same is digested once", async () => {
  const digested: string[] = [];
  const secretBox = {
    digest: async (text: string) => {
      digested.push(text);
      return "digest";
    },
  };
  const page: OperationAnswer = { status: 200, text: "<p>Hello</p>", isLasting: true };
  const { request } = scene();
  const [first, second] = [
    await conditionalAnswer(secretBox, request, page),
    await conditionalAnswer(secretBox, request, page),
  ];
  expect([first?.text, second?.text]).toEqual([page.text, page.text]);
  expect(digested).toEqual([page.text]);
});

test.each([
  ["user", undefined, "Authorization"],
  ["admin", ["text/html"], "Authorization, Accept"],
  ["public", undefined, undefined],
  ["public", [], undefined],
  ["public", ["text/html"], "Accept"],
])("the answer to a read with access %s and the alternatives %j varies by %s", async (access, alternatives, vary) => {
  const { request } = scene();
  const operation = { ...request.operation, access, success: { alternatives } } as unknown as typeof request.operation;
  const secretBox = { digest: async () => "digest" };
  const answer = await conditionalAnswer(secretBox, { ...request, operation }, { status: 200, body: {} });
  expect(answer.headers?.vary).toBe(vary);
});

test("any other answer is written anew", async () => {
  const { times, answer } = scene();
  await answer();
  await answer();
  expect(times).toEqual({ written: 2, digested: 2 });
});
