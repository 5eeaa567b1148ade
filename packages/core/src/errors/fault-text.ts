import type { z } from "zod";

const typeNames: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
  null: "null",
};

/** The JSON type of a value, in words. */
const typeOf = (value: unknown): string => {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "boolean") return String(value);
  // A value that is not a whole number is still called a number here: "a whole number, not 1.5".
  if (typeof value === "number") return String(value);
  return typeNames[typeof value] ?? "this";
};

const units: Readonly<Record<string, readonly [one: string, many: string]>> = {
  string: ["character", "characters"],
  array: ["entry", "entries"],
  set: ["entry", "entries"],
  map: ["entry", "entries"],
};

/** `50 characters`, `1 entry`, or the number alone for the size of a number. */
const amountOf = (count: number | bigint, origin: string): string => {
  const [one, many] = units[origin] ?? [];
  if (one === undefined || many === undefined) return String(count);
  return `${count} ${Number(count) === 1 ? one : many}`;
};

const formats: Readonly<Record<string, string>> = {
  email: "an email address; before the @ only ASCII letters, digits, dots and !#$%&'*+/=?^_`{|}~-",
  url: "a URL",
  uuid: "a UUID",
  datetime: "an RFC 3339 time",
  date: "a day, such as 2026-01-31",
  time: "a time of day",
};

const quoted = (values: readonly unknown[]): string =>
  values.map((value) => (typeof value === "string" ? `"${value}"` : String(value))).join(", ");

const unionText = (issue: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidUnion>): string => {
  const alternatives = (issue.errors ?? []).map(([first]) => (first?.path.length === 0 ? first.message : undefined));
  const texts = alternatives.flatMap((text) => (text === undefined ? [] : [text.replace(/, not .*/s, "")]));
  if (texts.length === 0 || texts.length < alternatives.length) return "not a value that this can have";
  return [...new Set(texts)].join(", or ");
};

/**
 * An error map for zod: says what would be right (`a number, not a string`; `at most 50 characters`)
 * wherever a schema has no text of its own. `undefined` leaves the text to zod.
 */
export const faultText: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case "invalid_type":
      return `${typeNames[issue.expected] ?? issue.expected}, not ${typeOf(issue.input)}`;
    case "invalid_value":
      return issue.values.length === 1 ? `only ${quoted(issue.values)}` : `one of ${quoted(issue.values)}`;
    case "too_small": {
      const { minimum, origin } = issue;
      if (issue.exact === true) return `exactly ${amountOf(minimum, origin)}`;
      if (origin === "string" && minimum === 1) return "not empty";
      return `${issue.inclusive === false ? "more than" : "at least"} ${amountOf(minimum, origin)}`;
    }
    case "too_big": {
      const { maximum, origin } = issue;
      if (issue.exact === true) return `exactly ${amountOf(maximum, origin)}`;
      return `${issue.inclusive === false ? "less than" : "at most"} ${amountOf(maximum, origin)}`;
    }
    case "not_multiple_of":
      return `a multiple of ${issue.divisor}`;
    case "invalid_format":
      return formats[issue.format];
    case "invalid_union":
      return unionText(issue);
    default:
      return undefined;
  }
};

/** The same for a value of a query, which arrives as a string whatever it should be. */
export const queryFaultText: z.core.$ZodErrorMap = (issue) =>
  issue.code === "invalid_type" ? (typeNames[issue.expected] ?? issue.expected) : faultText(issue);
