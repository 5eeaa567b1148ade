/** The most JSON that a field of a row holds, in bytes of UTF-8. */
export const maxJsonBytes = 16_384;

/**
 * Whether a value certainly takes more than `mostBytes` as JSON. It stops as soon as it knows, so
 * that a large value costs no more than a small one. Members that are null do not count: in a merge
 * patch they remove something. False does not say that the value is small enough.
 */
export const exceedsJson = (value: unknown, mostBytes: number): boolean => leastBytes(value, mostBytes) > mostBytes;

/** A lower bound of the number of bytes. The count ends beyond `mostBytes`. */
const leastBytes = (value: unknown, mostBytes: number): number => {
  if (typeof value === "string") return value.length + 2;
  if (typeof value !== "object" || value === null) return 1;
  // The brackets, and a comma for each member or element but one.
  let bytes = 1;
  if (Array.isArray(value)) {
    for (const element of value) {
      if (bytes > mostBytes) break;
      bytes += leastBytes(element, mostBytes - bytes) + 1;
    }
  } else {
    // This makes no list of the members, because that list could be very long.
    for (const name in value) {
      if (bytes > mostBytes) break;
      const member: unknown = Reflect.get(value, name);
      if (member !== null) bytes += name.length + 4 + leastBytes(member, mostBytes - bytes);
    }
  }
  return bytes;
};
