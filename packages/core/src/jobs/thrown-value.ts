import { storable } from "../model/text.ts";

/*
 * Treat what a handler throws as hostile input. Anything can be thrown, and reading it may throw
 * again (a proxy, a getter, an object without a prototype).
 */

const longest = 4096;
const unreadable = "a value was thrown that cannot be read";

/** A description of a thrown value that can be stored, in at most 4,096 characters. Never throws. */
export const describeThrown = (thrown: unknown): string => {
  try {
    if (!(thrown instanceof Error)) {
      return storable(String(thrown).slice(0, longest)) || "a value without text was thrown";
    }
    const { name, message } = thrown;
    const said = typeof message === "string" ? message : "without a message";
    return storable(`${typeof name === "string" ? name : "Error"}: ${said}`.slice(0, longest));
  } catch {
    return unreadable;
  }
};

const mostStackLines = 20;
const longestStackLine = 300;
/** V8 writes ten lines unless the process asks for more; a message in front of them may be long. */
const longestStack = 65_536;

/** The first 20 lines of a thrown error's stack, without its message. Never throws. */
export const stackOf = (thrown: unknown): string | undefined => {
  try {
    const stack: unknown = thrown instanceof Error ? thrown.stack : undefined;
    if (typeof stack !== "string") return undefined;
    const lines = stack
      .slice(0, longestStack)
      .split("\n")
      .filter((line) => /^\s+at \S/.test(line))
      .slice(0, mostStackLines)
      .map((line) => line.slice(0, longestStackLine));
    return lines.length === 0 ? undefined : storable(lines.join("\n"));
  } catch {
    return undefined;
  }
};

/**
 * A thrown value for a log: the error itself if it can be read, otherwise an error with its
 * description. Never throws.
 */
export const readableThrown = (thrown: unknown): unknown => {
  try {
    if (thrown instanceof Error) {
      const { name, message, stack } = thrown;
      void thrown.cause;
      const isPlain = [name, message, stack ?? ""].every((text) => typeof text === "string");
      return isPlain ? thrown : new Error(describeThrown(thrown));
    }
    return typeof thrown === "object" || typeof thrown === "function" ? new Error(describeThrown(thrown)) : thrown;
  } catch {
    return new Error(unreadable);
  }
};

/** Whether a thrown value is of a class. Never throws. */
export const isThrown = <Kind>(kind: abstract new (...given: never[]) => Kind, thrown: unknown): thrown is Kind => {
  try {
    return thrown instanceof kind;
  } catch {
    return false;
  }
};
