import type { Condition } from "@postern/core";
import { instantText, timestampOf } from "@postern/core/parts";

/** The first and the last moment that a text names. For a moment they are the same. */
export interface Span {
  readonly first: string;
  readonly last: string;
}

type SpanOperator = "eq" | "ne" | "lt" | "lte" | "gt" | "gte";

const dayMs = 86_400_000;

/** The moment, or the whole day in UTC, that a text names; `undefined` if it names neither. */
export const spanOf = (text: string): Span | undefined => {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) {
    const moment = instantText.safeParse(text).data;
    return moment === undefined ? undefined : { first: moment, last: moment };
  }
  const first = instantText.safeParse(`${text}T00:00:00.000Z`).data;
  return first === undefined ? undefined : { first, last: timestampOf(Date.parse(first) + dayMs - 1) };
};

/**
 * Compares a field with a moment or a day: after a day is after its end, from a day on is from its
 * start on, and on a day is within it.
 */
export const spanCondition = (field: string, op: SpanOperator, { first, last }: Span): Condition => {
  if (first === last) return { field, op, value: first };
  if (op === "eq") {
    return {
      all: [
        { field, op: "gte", value: first },
        { field, op: "lte", value: last },
      ],
    };
  }
  if (op === "ne") {
    return {
      any: [
        { field, op: "lt", value: first },
        { field, op: "gt", value: last },
      ],
    };
  }
  return { field, op, value: op === "gt" || op === "lte" ? last : first };
};

/** Holds for a field that is one of these moments or within one of these days; `nin` for the others. */
export const spansCondition = (field: string, op: "in" | "nin", spans: readonly Span[]): Condition => {
  const moments = spans.filter(({ first, last }) => first === last).map(({ first }) => first);
  const days = spans
    .filter(({ first, last }) => first !== last)
    .map((day) => spanCondition(field, op === "in" ? "eq" : "ne", day));
  if (op === "in") return { any: [{ field, in: moments }, ...days] };
  return { all: [{ field, notIn: moments }, ...days] };
};
