import type { Answer } from "../answer.ts";
import type { Telemetry } from "../ports/telemetry.ts";
import type { ErrorCode } from "./catalogue.ts";
import { problemOf, toAppError } from "./problem.ts";

/**
 * Errors of 500 and above that are not bugs of ours. They are counted elsewhere; a log line with a
 * stack for each would make an overload worse.
 */
const expected: ReadonlySet<ErrorCode> = new Set(["overloaded", "draining", "not_implemented"]);

/**
 * Turns any failure into the one error answer, `application/problem+json` (RFC 9457). A bug of ours
 * is logged here, once, and the answer shows nothing of it.
 */
export const errorAnswer = (
  telemetry: Pick<Telemetry, "log">,
  thrown: unknown,
  request: { readonly path: string; readonly requestId: string },
): Answer => {
  const error = toAppError(thrown);
  if (error.status >= 500 && !expected.has(error.code)) {
    telemetry.log(
      "error",
      "request failed",
      { request_id: request.requestId, path: request.path, code: error.code },
      error.cause ?? error,
    );
  }
  return {
    status: error.status,
    headers: { ...error.headers, "content-type": "application/problem+json" },
    body: problemOf(error, request),
  };
};
