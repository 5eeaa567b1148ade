import { AppError, type Fault } from "./app-error.ts";
import { errorCatalogue } from "./catalogue.ts";

/** The one error body, RFC 9457. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail?: string;
  /** The path of the request. */
  readonly instance: string;
  readonly code: string;
  readonly request_id: string;
  readonly errors?: readonly Fault[];
  readonly [extra: string]: unknown;
}

/** What is thrown, as the caller may see it: an `AppError` as it is, anything else as `internal_error` without a word of what it was. */
export const toAppError = (thrown: unknown): AppError =>
  thrown instanceof AppError ? thrown : new AppError("internal_error", { cause: thrown });

export const problemOf = (error: AppError, request: { path: string; requestId: string }): Problem => {
  const { status, title } = errorCatalogue[error.code];
  return {
    type: `/api/problems/${error.code}`,
    title,
    status,
    ...(error.detail === undefined ? {} : { detail: error.detail }),
    instance: request.path,
    code: error.code,
    request_id: request.requestId,
    ...(error.faults.length === 0 ? {} : { errors: error.faults }),
    ...error.extra,
  };
};
