import { misconfigured } from "./errors.ts";

/**
 * How many changes of a single character lead from one text to the other (Levenshtein), for short
 * texts.
 */
const distance = (left: string, right: string): number => {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let at = 0; at < left.length; at++) {
    const next = [at + 1];
    for (let index = 0; index < right.length; index++)
      next.push(
        Math.min(
          (next[index] ?? 0) + 1,
          (row[index + 1] ?? 0) + 1,
          (row[index] ?? 0) + (left[at] === right[index] ? 0 : 1),
        ),
      );
    row = next;
  }
  return row.at(-1) ?? 0;
};

/** Longest name that is compared, because the work grows with the square of its length. */
const longest = 64;

/**
 * The known name nearest to `name`: one that begins with it, or differs in at most a third of its
 * characters.
 */
const nearest = (name: string, names: readonly string[]): string | undefined => {
  const wanted = name
    .slice(0, longest)
    .toLowerCase()
    .replace(/[\s_]+/g, "-");
  if (wanted === "") return undefined;
  const ranked = names
    .map((known) => ({ known, far: distance(wanted, known) - (known.startsWith(wanted) ? known.length : 0) }))
    .sort((left, right) => left.far - right.far);
  const [best] = ranked;
  return best !== undefined && best.far <= wanted.length / 3 ? best.known : undefined;
};

/**
 * Refuses an unknown name. @throws WebhookConfigError `scheme_unknown`, with the nearest of
 * `names`.
 */
export const unknownScheme = (name: string, names: readonly string[]): never => {
  const text = typeof name === "string" ? name : "";
  const guess = nearest(text, names);
  return misconfigured(
    "scheme_unknown",
    `There is no scheme "${text.slice(0, longest)}"${guess === undefined ? "." : `: did you mean "${guess}"?`}`,
  );
};
