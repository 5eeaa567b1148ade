/** A part of a document that wants to be a component. */
export interface Candidate {
  /** Its content as text: equal parts have equal texts. */
  readonly content: string;
  /** The name that its content suggests. */
  readonly wanted: string;
  readonly uses: number;
}

/** FNV-1a, 32 bits, in base 36. It tells a handful of parts apart; it is no protection. */
const digestOf = (text: string): string => {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return (hash >>> 0).toString(36);
};

/** `filter[status][in]` as the name of a component can be written. */
const plainName = (name: string): string => name.replaceAll(/[^\w.-]+/g, "_").replace(/_$/, "");

/**
 * Names parts by what they contain, never by where they stand: the order of operations does not
 * matter. If different parts want the same name, the one that is used most often gets it. The
 * others have a digest of their content behind it. Returns the names by content.
 */
export const componentNames = (candidates: readonly Candidate[]): ReadonlyMap<string, string> => {
  const ranked = candidates.toSorted(
    (left, right) => right.uses - left.uses || (left.content < right.content ? -1 : 1),
  );
  const taken = new Set<string>();
  const names = new Map<string, string>();
  for (const { content, wanted } of ranked) {
    const plain = plainName(wanted);
    const name = taken.has(plain) ? `${plain}_${digestOf(content)}` : plain;
    // Two parts with one name and one digest: the second stays where it is used.
    if (taken.has(name)) continue;
    taken.add(name);
    names.set(content, name);
  }
  return names;
};
