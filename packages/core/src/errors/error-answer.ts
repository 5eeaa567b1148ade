import type { Answer } from "../answer.ts";
import type { Ports } from "../ports/ports.ts";
import type { AppError } from "./app-error.ts";
import { createBoundedLines } from "./bounded-lines.ts";
import type { ErrorCode } from "./catalogue.ts";
import { problemOf, toAppError } from "./problem.ts";

/** The request whose failure is answered. */
interface FailedRequest {
  readonly path: string;
  readonly requestId: string;
}

/**
 * Turns any failure into the one error answer, `application/problem+json` (RFC 9457). A bug in
 * Postern and an outage are logged here, once for each request, and the answer shows nothing of
 * them. Each minute, only some failures of one kind are logged; one more line counts the others.
 */
export type ErrorAnswer = (thrown: unknown, request: FailedRequest) => Answer;

/**
 * Errors with a status of 500 or more that are not bugs in Postern. They are counted elsewhere; a
 * log line with a stack for each would make an overload worse.
 */
const expected: ReadonlySet<ErrorCode> = new Set(["overloaded", "draining", "not_implemented"]);

const longestPath = 200;

type FailurePorts = Pick<Ports, "telemetry" | "clock">;

/**
 * A process has one for all its requests. Ten failures of one kind are logged in a minute.
 */
export const createErrorAnswer = (ports: FailurePorts): ErrorAnswer => {
  const message = "further requests failed in the same way";
  const isLogged = createBoundedLines(ports, { level: "error", message });
  const log = (error: AppError, { path, requestId }: FailedRequest): void => {
    const { code, cause = error } = error;
    const kind = cause instanceof Error ? `${cause.name}: ${cause.message}` : typeof cause;
    if (!isLogged(`${code} ${kind}`, { code })) return;
    const fields = { request_id: requestId, path: path.slice(0, longestPath), code };
    ports.telemetry.log("error", "request failed", fields, cause);
  };
  return (thrown, request) => {
    const error = toAppError(thrown);
    if (error.status >= 500 && !expected.has(error.code)) log(error, request);
    return {
      status: error.status,
      headers: { ...error.headers, "content-type": "application/problem+json" },
      body: problemOf(error, request),
    };
  };
};
