import type { Answer } from "../answer.ts";
import type { Ports } from "../ports/index.ts";
import type { AppError } from "./app-error.ts";
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

const minuteMs = 60_000;
/**
 * The most kinds that are counted separately. A message may hold a caller's text, so there may be
 * any number of kinds.
 */
const mostKinds = 50;
const otherKinds = "other failures";
const longestKind = 200;
const longestPath = 200;

type FailurePorts = Pick<Ports, "telemetry" | "clock">;

/** Says whether a failure gets a line of its own, and logs how many did not. */
const createFailureCounts = (
  { telemetry, clock }: FailurePorts,
  mostAlike: number,
): ((kind: string, code: ErrorCode) => boolean) => {
  const counts = new Map<string, { times: number }>();

  const begin = (kind: string, code: ErrorCode): { times: number } => {
    const count = { times: 0 };
    counts.set(kind, count);
    clock.after(minuteMs, () => {
      counts.delete(kind);
      const failures = count.times - mostAlike;
      if (failures > 0) telemetry.log("error", "further requests failed in the same way", { code, failures });
    });
    return count;
  };

  return (kind, code) => {
    const key = counts.has(kind) || counts.size < mostKinds ? kind : otherKinds;
    const count = counts.get(key) ?? begin(key, code);
    count.times += 1;
    return count.times <= mostAlike;
  };
};

/**
 * A process has one for all its requests. `mostAlike` failures of one kind are logged in a minute.
 */
export const createErrorAnswer = (ports: FailurePorts, mostAlike = 10): ErrorAnswer => {
  const isLogged = createFailureCounts(ports, mostAlike);
  const log = (error: AppError, { path, requestId }: FailedRequest): void => {
    const { code, cause = error } = error;
    const kind = cause instanceof Error ? `${cause.name}: ${cause.message}` : typeof cause;
    if (!isLogged(`${code} ${kind}`.slice(0, longestKind), code)) return;
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
