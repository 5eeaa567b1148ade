import { storable } from "@postern/core/internal";
import type { Telemetry } from "@postern/core/ports";
import { keysOf, readableMembers } from "./readable-members.ts";

/*
 * Treat what a handler throws as hostile input. Anything can be thrown, and reading it may throw
 * again (a proxy, a getter, an object without a prototype).
 */

const longest = 4096;
/** So much of it may be causes and members, so that a long message leaves room for them. */
const longestOthers = 2048;
const longestOther = 512;
const mostCauses = 3;
const mostMembers = 5;
const longestObject = 1024;
const mostNames = 100;
const longestCode = 64;
const unreadable = "a value was thrown that cannot be read";
const withoutText = "a value without text was thrown";

/** How an object loses what looks like a credential. Without it, only the names of its members are kept. */
type WithoutSecrets = Telemetry["withoutSecrets"];

const read = (from: object, member: string): unknown => {
  try {
    return Reflect.get(from, member);
  } catch {
    return undefined;
  }
};

/** ` [code ECONNREFUSED]`. Left out if the message says it already and it is a word: see `causeId`. */
const codeOf = (thrown: object, message: string): string => {
  const code = read(thrown, "code");
  if (typeof code !== "string" && typeof code !== "number") return "";
  const text = String(code);
  if (text === "" || text.length > longestCode || !/^[\w.-]+$/.test(text)) return "";
  return message.includes(text) && !/\d/.test(text) ? "" : ` [code ${text}]`;
};

const errorText = (thrown: Error, most: number): string => {
  const [name, message] = [read(thrown, "name"), read(thrown, "message")];
  const said = typeof message === "string" ? message : "without a message";
  const named = typeof name === "string" ? name : "Error";
  const code = codeOf(thrown, said);
  return `${`${named}: ${said}`.slice(0, most - code.length)}${code}`;
};

const objectText = (thrown: object, withoutSecrets: WithoutSecrets): string => {
  if (withoutSecrets !== undefined) return readableMembers(thrown, withoutSecrets).slice(0, longestObject);
  if (ArrayBuffer.isView(thrown)) return `${thrown.byteLength} bytes`;
  const names = Array.isArray(thrown) ? [] : keysOf(thrown, mostNames);
  return `an object with ${names.join(", ") || "no members"}`.slice(0, longestObject);
};

/** One value, without what it is caused by. Never throws. */
const oneText = (thrown: unknown, most: number, withoutSecrets: WithoutSecrets): string => {
  try {
    if (thrown instanceof Error) return errorText(thrown, most);
    if (typeof thrown !== "object" || thrown === null) return String(thrown).slice(0, most) || withoutText;
    const text = writtenBy(thrown);
    return (text ?? objectText(thrown, withoutSecrets)).slice(0, most) || withoutText;
  } catch {
    return unreadable;
  }
};

/** What an object says of itself, unless that is only that it is an object. */
const writtenBy = (thrown: object): string | undefined => {
  try {
    // They would write all that they hold.
    if (Array.isArray(thrown) || ArrayBuffer.isView(thrown)) return undefined;
    const text = String(thrown);
    return text.includes("[object ") ? undefined : text;
  } catch {
    return undefined;
  }
};

/** The members of an AggregateError, if it is one. */
const membersOf = (thrown: unknown): readonly unknown[] => {
  try {
    const errors = thrown instanceof Error ? read(thrown, "errors") : undefined;
    return Array.isArray(errors) ? errors.slice(0, mostMembers) : [];
  } catch {
    return [];
  }
};

const causeOf = (thrown: unknown): unknown => {
  try {
    return thrown instanceof Error ? read(thrown, "cause") : undefined;
  } catch {
    return undefined;
  }
};

/** What an error is caused by, and of what it consists: at most 3 causes and 5 members. */
const othersOf = (thrown: unknown, withoutSecrets: WithoutSecrets): string => {
  const seen = new Set<unknown>();
  let text = "";
  let members = 0;
  let one = thrown;
  for (let causes = 0; causes <= mostCauses && one !== undefined && one !== null && !seen.has(one); causes += 1) {
    seen.add(one);
    if (causes > 0) text += `; caused by ${oneText(one, longestOther, withoutSecrets)}`;
    for (const member of membersOf(one).slice(0, mostMembers - members)) {
      text += `; with ${oneText(member, longestOther, withoutSecrets)}`;
      members += 1;
    }
    one = causeOf(one);
  }
  return text.slice(0, longestOthers);
};

/**
 * A description of a thrown value that can be stored, in at most 4,096 characters: name, message and
 * code of an error, of at most 3 causes, and of at most 5 members of an AggregateError. Of a plain
 * object it has the members, in at most 1,024 characters, without what looks like a credential. Never
 * throws.
 */
export const describeThrown = (thrown: unknown, withoutSecrets?: WithoutSecrets): string => {
  const others = othersOf(thrown, withoutSecrets);
  return storable(`${oneText(thrown, longest - others.length, withoutSecrets)}${others}`.slice(0, longest));
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
export const readableThrown = (thrown: unknown, withoutSecrets?: WithoutSecrets): unknown => {
  try {
    if (thrown instanceof Error) {
      const { name, message, stack } = thrown;
      void thrown.cause;
      const isPlain = [name, message, stack ?? ""].every((text) => typeof text === "string");
      return isPlain ? thrown : new Error(describeThrown(thrown, withoutSecrets));
    }
    return typeof thrown === "object" || typeof thrown === "function"
      ? new Error(describeThrown(thrown, withoutSecrets))
      : thrown;
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
