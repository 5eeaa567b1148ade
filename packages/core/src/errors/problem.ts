import { AppError } from "./app-error.ts";
import { errorCatalogue } from "./catalogue.ts";
import type { Fault } from "./fault.ts";

/** The one error body, RFC 9457. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail?: string;
  /** The path of the request, as a URI reference. */
  readonly instance: string;
  readonly code: string;
  readonly request_id: string;
  /** The first things that are wrong. */
  readonly errors?: readonly Fault[];
  readonly [extra: string]: unknown;
}

/** What is thrown, as the caller may see it: an `AppError` as it is, anything else as `internal_error` without a word of what it was. */
export const toAppError = (thrown: unknown): AppError =>
  thrown instanceof AppError ? thrown : new AppError("internal_error", { cause: thrown });

/** How much a problem repeats of what was sent, in characters: an answer does not grow with the nonsense it is about. */
const longest = { path: 8192, detail: 4096, place: 1024 } as const;

/** What is no URI reference (RFC 3986), as a caller's path need not be one. */
const foreign = /[^\w\-.~!$&'()*+,;=:@/?%]|%(?![0-9A-Fa-f]{2})/gu;

const encoded = (text: string): string =>
  text === "%" ? "%25" : encodeURIComponent(/\p{Cs}/u.test(text) ? "\uFFFD" : text);

const referenceTo = (path: string): string => {
  const reference = path.slice(0, longest.path).replaceAll(foreign, encoded);
  return reference.length <= longest.path ? reference : reference.slice(0, longest.path).replace(/%.?$/, "");
};

const shortened = (text: string, most: number): string => (text.length <= most ? text : `${text.slice(0, most - 1)}…`);

/** The pointer itself or, where a name in it is too long to be repeated, one to what it stands in. */
const pointerWithin = (pointer: string): string =>
  pointer.length <= longest.place ? pointer : pointerWithin(pointer.slice(0, pointer.lastIndexOf("/")));

const faultWithin = (fault: Fault): Fault => ({
  ...fault,
  ...("pointer" in fault ? { pointer: pointerWithin(fault.pointer) } : {}),
  ...("parameter" in fault ? { parameter: shortened(fault.parameter, longest.place) } : {}),
  detail: shortened(fault.detail, longest.place),
});

export const problemOf = (error: AppError, request: { path: string; requestId: string }): Problem => {
  const { status, title } = errorCatalogue[error.code];
  return {
    type: `/api/problems/${error.code}`,
    title,
    status,
    ...(error.detail === undefined ? {} : { detail: shortened(error.detail, longest.detail) }),
    instance: referenceTo(request.path),
    code: error.code,
    request_id: request.requestId,
    ...(error.faults.length === 0 ? {} : { errors: error.faults.map(faultWithin) }),
    ...error.extra,
  };
};
