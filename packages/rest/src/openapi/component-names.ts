/** A part of a document that may become a component. */
export interface Candidate {
  /** Its content as text: equal parts have equal texts. */
  readonly content: string;
  /** The name that its content suggests. */
  readonly wanted: string;
  readonly uses: number;
}

/** FNV-1a, 32 bits, in base 36. It distinguishes a handful of parts; it is not cryptographic. */
const digestOf = (text: string): string => {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return (hash >>> 0).toString(36);
};

/**
 * Turns `filter[status][in]` into a valid name of a component. It begins with a letter (`r404`), because
 * generators make names of types from it.
 */
const plainName = (name: string): string =>
  name
    .replaceAll(/[^\w.-]+/g, "_")
    .replace(/_$/, "")
    .replace(/^(?=\d)/, "r");

/**
 * Names parts by their content, never by their position, so the order of operations does not
 * matter. If different parts suggest the same name, the one that is used most often gets it. The
 * others get the name with a digest of their content. Returns the names by content.
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
    // If two parts have the same name and the same digest, the second one gets no component.
    if (taken.has(name)) continue;
    taken.add(name);
    names.set(content, name);
  }
  return names;
};
