/** Names further apart than this are two names, not a slip. */
const mostEdits = 2;

/**
 * How many letters must be put in, left out, changed, or swapped with their neighbour, to make one
 * text of the other.
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
 * The allowed name that is meant by a slip of it: the nearest one, if it is near and no other is as
 * near.
 */
export const nearestName = (given: string, allowed: readonly string[]): string | undefined => {
  const near = allowed
    // What is as short as a slip is long could be anything; and no time is spent on what is far
    // longer.
    .filter((name) => name.length > mostEdits && Math.abs(name.length - given.length) <= mostEdits)
    .map((name) => ({ name, edits: editsBetween(given, name) }))
    .filter(({ edits }) => edits <= mostEdits)
    .toSorted((one, other) => one.edits - other.edits);
  const [first, second] = near;
  return first?.edits === second?.edits ? undefined : first?.name;
};

/**
 * `; did you mean "title"?` for each of the names that is a slip of an allowed one, or nothing: the
 * end of a sentence about them.
 */
export const didYouMean = (given: readonly string[], allowed: readonly string[]): string => {
  const meant = new Set(given.flatMap((name) => nearestName(name, allowed) ?? []));
  return meant.size === 0 ? "" : `; did you mean ${[...meant].map((name) => `"${name}"`).join(", ")}?`;
};
