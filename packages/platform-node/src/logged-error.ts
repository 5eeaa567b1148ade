import { logText } from "./log-text.ts";

/**
 * What a log shows of something that was thrown. It has only these members, because others, such as
 * a driver's statement and bindings, may hold anything.
 */
export interface LoggedError {
  readonly type: string;
  readonly message: string;
  readonly code?: string;
  /** Frames only, without the message they begin with. */
  readonly stack?: readonly string[];
  readonly cause?: LoggedError;
}

const deepestCause = 4;
const mostFrames = 30;

const stringOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

const read = (thrown: unknown, depth: number): LoggedError => {
  if (typeof thrown !== "object" || thrown === null) return { type: typeof thrown, message: logText(String(thrown)) };
  // A value that is not an Error may still have an error's members. Each is checked before it is
  // used.
  const { name, message, code, stack, cause } = thrown as Readonly<Record<string, unknown>>;
  const codeText = stringOf(code);
  const frames = stringOf(stack)
    ?.split("\n")
    .filter((line) => /^\s{1,8}at /.test(line))
    .slice(0, mostFrames)
    .map((line) => logText(line.trim()));
  return {
    type: logText(stringOf(name) ?? "object"),
    message: logText(stringOf(message) ?? ""),
    ...(codeText === undefined ? {} : { code: logText(codeText) }),
    ...(frames === undefined ? {} : { stack: frames }),
    ...(cause === undefined || depth === deepestCause ? {} : { cause: read(cause, depth + 1) }),
  };
};

/** Never throws, whatever was thrown; causes are followed four deep. */
export const loggedError = (thrown: unknown): LoggedError => {
  try {
    return read(thrown, 0);
  } catch {
    // Its own getters throw, so nothing more can be said about it.
    return { type: typeof thrown, message: "what was thrown cannot be read" };
  }
};
