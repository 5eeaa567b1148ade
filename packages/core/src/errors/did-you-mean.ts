/** Two names that differ by more than this are different names, not a typing error. */
const mostEdits = 2;

/**
 * How many letters must be added, left out, changed, or swapped with their neighbour, to turn one
 * text into the other.
 */
const editsBetween = (one: string, other: string): number => {
  let last: number[] = [];
  let row = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let line = 1; line <= one.length; line += 1) {
    const next = [line];
    for (let column = 1; column <= other.length; column += 1) {
      const same = one[line - 1] === other[column - 1];
      const swapped =
        line > 1 && column > 1 && one[line - 1] === other[column - 2] && one[line - 2] === other[column - 1];
      next[column] = Math.min(
        (row[column] ?? 0) + 1,
        (next[column - 1] ?? 0) + 1,
        (row[column - 1] ?? 0) + (same ? 0 : 1),
        swapped ? (last[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    last = row;
    row = next;
  }
  return row[other.length] ?? 0;
};

/**
 * The allowed name that was probably meant: the nearest one, if it is near and no other is equally
 * near.
 */
const nearestName = (given: string, allowed: readonly string[]): string | undefined => {
  const near = [...new Set(allowed)]
    // A name as short as the allowed distance could mean anything. A much longer name is skipped to
    // save time.
    .filter((name) => name.length > mostEdits && Math.abs(name.length - given.length) <= mostEdits)
    .map((name) => ({ name, edits: editsBetween(given, name) }))
    .filter(({ edits }) => edits <= mostEdits)
    .toSorted((one, other) => one.edits - other.edits);
  const [first, second] = near;
  return first?.edits === second?.edits ? undefined : first?.name;
};

/**
 * The end of a sentence about the names: `; did you mean "title"?` with the allowed names that were
 * probably meant, or an empty text.
 */
export const didYouMean = (given: readonly string[], allowed: readonly string[]): string => {
  const meant = new Set(given.flatMap((name) => nearestName(name, allowed) ?? []));
  return meant.size === 0 ? "" : `; did you mean ${[...meant].map((name) => `"${name}"`).join(", ")}?`;
};
