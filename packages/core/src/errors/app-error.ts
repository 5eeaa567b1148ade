import { brand } from "./brand.ts";
import { type ErrorCode, errorCatalogue } from "./catalogue.ts";
import { type Fault, mostFaults } from "./fault.ts";

export interface AppErrorOptions {
  /** One sentence for the caller: what was wrong and what to do. Safe to show. */
  readonly detail?: string;
  readonly faults?: readonly Fault[];
  /** Sent as headers with the error, e.g. `retry-after`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Further members of the problem document, e.g. `supported_versions`. */
  readonly extra?: Readonly<Record<string, unknown>>;
  /** For the log only. */
  readonly cause?: unknown;
  /** The code and the title of the application's own that callers see in place of the catalogue's. */
  readonly own?: OwnProblem;
}

/** A problem that an application declares. */
export interface OwnProblem {
  readonly code: string;
  /** One sentence: what happened. */
  readonly title: string;
}

/**
 * An expected failure with a public, permanent code. Anything else that is thrown is a bug, and the
 * caller sees it as `internal_error`.
 */
export class AppError extends Error {
  override readonly name = "AppError";
  readonly code: ErrorCode;
  readonly detail: string | undefined;
  /** At most 50; further ones are dropped. */
  readonly faults: readonly Fault[];
  readonly headers: Readonly<Record<string, string>>;
  readonly extra: Readonly<Record<string, unknown>>;
  readonly own: OwnProblem | undefined;

  constructor(code: ErrorCode, options: AppErrorOptions = {}) {
    super(options.detail ?? errorCatalogue[code].title, { cause: options.cause });
    this.code = code;
    this.detail = options.detail;
    this.faults = options.faults?.slice(0, mostFaults) ?? [];
    this.headers = options.headers ?? {};
    this.extra = options.extra ?? {};
    this.own = options.own;
  }

  /** A copy of this error with another detail, other faults or other headers. */
  with(told: Pick<AppErrorOptions, "detail" | "faults" | "headers">): AppError {
    const { code, detail, faults, headers, extra, cause, own } = this;
    return new AppError(code, {
      ...(detail === undefined ? {} : { detail }),
      ...(own === undefined ? {} : { own }),
      faults,
      headers,
      extra,
      cause,
      ...told,
    });
  }

  get status(): number {
    return errorCatalogue[this.code].status;
  }
}
brand(AppError, "AppError");
