import type { Served, Trial } from "./trial.ts";

/** Promises of an adapter, each with the code that checks it. */
export type Cases<On extends Served = Served> = Readonly<Record<string, (trial: Trial<On>) => Promise<void>>>;

/** `%s` and `%j` stand for the values of the row in turn. */
const named = (name: string, row: readonly unknown[]): string => {
  let at = 0;
  return name.replaceAll(/%[sj]/g, (kind) => {
    const value = row[at];
    at += 1;
    return kind === "%j" ? JSON.stringify(value) : String(value);
  });
};

type Keep<On extends Served, Row extends readonly unknown[]> = (trial: Trial<On>, ...row: Row) => Promise<void>;

/**
 * One case for each row; the values of the row go into its name and to `keep`.
 * @throws TypeError when two rows make the same name, because one case would replace the other.
 */
export function each<A, const B, On extends Served>(
  name: string,
  rows: readonly (readonly [A, B])[],
  keep: Keep<On, [A, B]>,
): Cases<On>;
export function each<A, B, const C, On extends Served>(
  name: string,
  rows: readonly (readonly [A, B, C])[],
  keep: Keep<On, [A, B, C]>,
): Cases<On>;
export function each<A, B, const C, D, On extends Served>(
  name: string,
  rows: readonly (readonly [A, B, C, D])[],
  keep: Keep<On, [A, B, C, D]>,
): Cases<On>;
export function each(
  name: string,
  rows: readonly (readonly unknown[])[],
  keep: (trial: Trial<Served>, ...row: never) => Promise<void>,
): Cases {
  const keepRow = keep as Keep<Served, readonly unknown[]>;
  const cases = rows.map((row) => [named(name, row), (trial: Trial) => keepRow(trial, ...row)] as const);
  if (new Set(cases.map(([title]) => title)).size < rows.length) throw new TypeError(`two cases of one name: ${name}`);
  return Object.fromEntries(cases);
}

/** The same for rows of one value. */
export const eachOf = <Value, On extends Served>(
  name: string,
  values: readonly Value[],
  keep: Keep<On, [Value]>,
): Cases<On> => {
  const cases = values.map((value) => [named(name, [value]), (trial: Trial<On>) => keep(trial, value)] as const);
  return Object.fromEntries(cases);
};
