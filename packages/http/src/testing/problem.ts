import assert from "node:assert/strict";
import type { ErrorCode } from "@postern/core";
import { errorCatalogue, type Problem } from "@postern/core/internal";
import type { RawReply } from "./raw.ts";

/**
 * Asserts that an answer is a complete problem document with this code, and reveals nothing about
 * the server. Returns the problem.
 */
export const expectProblem = async (answer: Response | RawReply | undefined, code: ErrorCode): Promise<Problem> => {
  if (answer === undefined) throw new Error("there was no answer");
  const text = answer instanceof Response ? await answer.text() : answer.body;
  const header = (name: string) => answer.headers.get(name);
  assert.equal(answer.status, errorCatalogue[code].status, text);
  assert.equal(header("content-type"), "application/problem+json", text);
  const problem = JSON.parse(text) as Problem;
  assert.equal(problem.code, code);
  assert.equal(problem.status, errorCatalogue[code].status);
  assert.match(problem.request_id, /^[A-Za-z0-9._-]{8,128}$/);
  assert.equal(header("x-request-id"), problem.request_id);
  assert.equal(header("cache-control"), "no-store");
  assert.equal(header("x-content-type-options"), "nosniff");
  assert.doesNotMatch(text, /node_modules|\\n +at |\.[jt]s:\d/);
  return problem;
};
