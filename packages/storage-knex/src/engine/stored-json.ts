/** Whether a value has the form that its readers need. */
type Form = (value: unknown) => boolean;

const isObject: Form = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const isTexts: Form = (value) => Array.isArray(value) && value.every((each) => typeof each === "string");
const isHeaders: Form = (value) =>
  isObject(value) && Object.values(Object(value)).every((each) => typeof each === "string");
const isOutside: Form = (value) => {
  const { query = "", leftOut = [], covered = [] } = Object(value);
  return isObject(value) && typeof query === "string" && isTexts(leftOut) && isTexts(covered);
};
const isLimits: Form = (value) => isObject(value) && isObject(Object(value).queues);
const isPlan: Form = (value) => isObject(value) && isObject(Object(value).progress) && isObject(Object(value).preview);
const isCounts: Form = (value) =>
  isObject(value) && Array.isArray(Object(value).latency) && typeof Object(value).received === "number";
const isLog: Form = (value) => Array.isArray(value) && value.every((line) => isObject(line));
const isFeed: Form = (value) =>
  isObject(value) &&
  (isObject(Object(value).alert) || (Array.isArray(Object(value).jobs) && isLog(Object(value).jobs)));

/**
 * Every column of Postern's own tables that is parsed, with the form of its value. Each row is read by
 * itself: what cannot be read stops its own row and no other. `stored-values.test.ts` puts values that
 * cannot be read into each of these columns.
 */
export const parsedColumns = {
  "job.payload": () => true,
  "job_failure.log": isLog,
  "inbox_event.headers": isHeaders,
  "inbox_event.outside": isOutside,
  "forward_attempt.headers": isHeaders,
  "runner.kinds": isTexts,
  "runner.limits": isLimits,
  "webhook_providers.definition": isObject,
  "event_plan.details": isPlan,
  "refused_delivery.details": isObject,
  "count_bucket.counts": isCounts,
  "feed_entry.body": isFeed,
  "signing_key.public_key": isObject,
} as const satisfies Readonly<Record<string, Form>>;

export type ParsedColumn = keyof typeof parsedColumns;

/** Columns with a number that stands for a word. An unknown number, too, concerns its own row alone. */
export const codedColumns = ["job.state", "inbox_event.disposition"] as const;
type CodedColumn = (typeof codedColumns)[number];

/** The value of a column of a row, or `undefined` if it cannot be read. */
export const storedJson = <Value>(column: ParsedColumn, text: string): { readonly value: Value } | undefined => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  // The table says which form its readers need.
  return parsedColumns[column](value) ? { value: value as Value } : undefined;
};

/** What to tell of a value that cannot be read. The value itself may be a secret. */
export const unreadable = (
  column: ParsedColumn | CodedColumn | "webhook_keys.not_before",
  id: number | string,
): string => `the stored value of ${column} of ${id} cannot be read; repair it in the database`;

/** The value of a row that nothing can be done without. @throws Error that names the row. */
export const requiredJson = <Value>(column: ParsedColumn, id: number | string, text: string): Value => {
  const read = storedJson<Value>(column, text);
  if (read === undefined) throw new Error(unreadable(column, id));
  return read.value;
};
