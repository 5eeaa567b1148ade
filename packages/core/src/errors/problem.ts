import { AppError } from "./app-error.ts";
import { errorCatalogue } from "./catalogue.ts";
import type { Fault } from "./fault.ts";

/** The format of every error body, RFC 9457. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail?: string;
  /** The path of the request, as a URI reference. */
  readonly instance: string;
  readonly code: string;
  readonly request_id: string;
  /** What is wrong with the request; at most 50 faults. */
  readonly errors?: readonly Fault[];
  readonly [extra: string]: unknown;
}

/**
 * The error as the caller may see it: an `AppError` stays as it is; anything else becomes
 * `internal_error`, which reveals nothing.
 */
export const toAppError = (thrown: unknown): AppError =>
  thrown instanceof AppError ? thrown : new AppError("internal_error", { cause: thrown });

/**
 * How many characters of the request a problem repeats at most, so that a long request does not get
 * an answer of the same length.
 */
const longest = { path: 8192, detail: 4096, place: 1024 } as const;

/** Characters that a URI reference cannot contain (RFC 3986). A caller's path may contain them. */
const foreign = /[^\w\-.~!$&'()*+,;=:@/?%]|%(?![0-9A-Fa-f]{2})/gu;

const encoded = (text: string): string =>
  text === "%" ? "%25" : encodeURIComponent(/\p{Cs}/u.test(text) ? "\uFFFD" : text);

const referenceTo = (path: string): string => {
  const reference = path.slice(0, longest.path).replaceAll(foreign, encoded);
  return reference.length <= longest.path ? reference : reference.slice(0, longest.path).replace(/%.?$/, "");
};

const shortened = (text: string, most: number): string => (text.length <= most ? text : `${text.slice(0, most - 1)}…`);

/**
 * The pointer itself. If it is too long to be repeated, a pointer to the nearest enclosing member.
 */
const pointerWithin = (pointer: string): string =>
  pointer.length <= longest.place ? pointer : pointerWithin(pointer.slice(0, pointer.lastIndexOf("/")));

const faultWithin = (fault: Fault): Fault => ({
  ...fault,
  ...("pointer" in fault ? { pointer: pointerWithin(fault.pointer) } : {}),
  ...("parameter" in fault ? { parameter: shortened(fault.parameter, longest.place) } : {}),
  detail: shortened(fault.detail, longest.place),
});

export const problemOf = (error: AppError, request: { path: string; requestId: string }): Problem => {
  const { status, title: usual } = errorCatalogue[error.code];
  const { code, title } = error.own ?? { code: error.code, title: usual };
  return {
    type: `/api/problems/${code}`,
    title,
    status,
    ...(error.detail === undefined ? {} : { detail: shortened(error.detail, longest.detail) }),
    instance: referenceTo(request.path),
    code,
    request_id: request.requestId,
    ...(error.faults.length === 0 ? {} : { errors: error.faults.map(faultWithin) }),
    ...error.extra,
  };
};
