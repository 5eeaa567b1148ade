import { type ErrorCode, errorCatalogue, type Problem } from "@postern/core";
import { expect } from "vitest";
import type { RawReply } from "./raw.ts";

/** Asserts that an answer is the problem of this code, whole and with nothing of the server in it, and gives it back. */
export const expectProblem = async (answer: Response | RawReply | undefined, code: ErrorCode): Promise<Problem> => {
  if (answer === undefined) throw new Error("there was no answer");
  const text = answer instanceof Response ? await answer.text() : answer.body;
  const header = (name: string) => answer.headers.get(name);
  expect({ status: answer.status, type: header("content-type"), text }).toMatchObject({
    status: errorCatalogue[code].status,
    type: "application/problem+json",
  });
  const problem = JSON.parse(text) as Problem;
  expect(problem.code).toBe(code);
  expect(problem.status).toBe(errorCatalogue[code].status);
  expect(problem.request_id).toMatch(/^[A-Za-z0-9._-]{8,128}$/);
  expect(header("x-request-id")).toBe(problem.request_id);
  expect(header("cache-control")).toBe("no-store");
  expect(header("x-content-type-options")).toBe("nosniff");
  expect(text).not.toMatch(/node_modules|\\n +at |\.[jt]s:\d/);
  return problem;
};
