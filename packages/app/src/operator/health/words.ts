const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** Two of a unit is the point from which the larger unit is told. */
const units = [
  { ms: dayMs, word: "day", letter: "d" },
  { ms: hourMs, word: "hour", letter: "h" },
  { ms: minuteMs, word: "minute", letter: "m" },
  { ms: secondMs, word: "second", letter: "s" },
] as const;

const measured = (ms: number) => {
  const unit = units.find((one) => ms >= 2 * one.ms) ?? units[3];
  return { count: Math.max(0, Math.floor(ms / unit.ms)), unit };
};

/** `1,204`. */
export const inDigits = (count: number): string => String(count).replaceAll(/\B(?=(?:\d{3})+$)/g, ",");

/** `1 job`, `1,204 jobs`. */
export const countOf = (count: number, what: string): string => `${inDigits(count)} ${what}${count === 1 ? "" : "s"}`;

/** A span of time in the largest unit of which there are two: `14 minutes`, `90 seconds`. */
export const spanOf = (ms: number): string => {
  const { count, unit } = measured(ms);
  return countOf(count, unit.word);
};

/** The same for the end of a sentence: `14 m`. */
export const shortSpanOf = (ms: number): string => {
  const { count, unit } = measured(ms);
  return `${inDigits(count)} ${unit.letter}`;
};
