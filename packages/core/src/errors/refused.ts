import { AppError } from "./app-error.ts";
import { brand } from "./brand.ts";

/**
 * Throw this where the rules of your application refuse what somebody asks for: in an operation of your
 * own, or in a hook before a write. The caller gets a problem with your code and your sentence, with status 409; with `field` it is
 * 400, and points to that member of the body or that query parameter, by its name in the newest version.
 * The code must be declared, in `errors`: lower-case letters and underscores. An undeclared one is a
 * fault of the application, and the caller gets `internal_error`. Nothing of the write remains.
 */
export class Refused extends Error {
  override readonly name = "Refused";
  readonly code: string;
  readonly field: string | undefined;

  constructor(code: string, sentence: string, { field }: { readonly field?: string } = {}) {
    super(sentence);
    this.code = code;
    this.field = field;
  }
}
brand(Refused, "Refused");

/** The form of the codes of an application. */
export const refusalCode = /^[a-z][a-z_]{0,63}$/;

/**
 * The error of a refusal. `titles` are the declared codes, each with its sentence; `inQuery` says that a
 * field is a query parameter.
 */
export const errorOfRefused = (
  { code, message, field }: Refused,
  titles: ReadonlyMap<string, string>,
  inQuery: boolean,
): AppError => {
  const title = titles.get(code);
  if (title === undefined) {
    const cause = new TypeError(`Refused was thrown with the code "${code}", which no \`errors\` declare`);
    return new AppError("internal_error", { cause });
  }
  const own = { code, title };
  if (field === undefined) return new AppError("state_conflict", { own, detail: message });
  const place = inQuery ? { parameter: field } : { pointer: pointerOf(field) };
  return new AppError("validation_failed", { own, detail: message, faults: [{ ...place, code, detail: message }] });
};

/** RFC 6901. A path that begins with a slash is a pointer already. */
const pointerOf = (field: string): string =>
  field.startsWith("/") ? field : `/${field.replaceAll("~", "~0").replaceAll("/", "~1")}`;
