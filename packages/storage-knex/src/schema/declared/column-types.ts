interface ParsedType {
  readonly name: string;
  readonly sizes: readonly number[];
  readonly collation: string;
}

const parse = (type: string): ParsedType => {
  const [, name = "", sizes = "", collation = ""] = /^([a-z_ ]+?)(?:\(([\d,]+)\))?(?: (\w+))?$/.exec(type) ?? [];
  return { name, sizes: sizes === "" ? [] : sizes.split(",").map(Number), collation };
};

/** How many characters a text column holds; `undefined` for other columns. */
const lengthOf = ({ name, sizes: [size = 0] }: ParsedType): number | undefined =>
  name === "varchar" ? size : name === "text" || name === "mediumtext" ? Number.POSITIVE_INFINITY : undefined;

const isNarrow = ({ collation }: ParsedType): boolean => collation.startsWith("ascii");
const isKnown = ({ collation }: ParsedType): boolean => collation === "" || /^(ascii|utf8mb4)_/.test(collation);

/** How a column's type would change. */
export type TypeChange =
  /**
   * Nothing needs to change: the column holds the same values as the wanted type, as far as it
   * matters.
   */
  | { readonly kind: "none" }
  /** Every value of the column fits into the wanted type. */
  | { readonly kind: "wider" }
  /** Texts longer than `length` characters would not fit. */
  | { readonly kind: "shorter"; readonly length: number }
  /** Values would have to be converted. */
  | { readonly kind: "other" };

const textChange = (present: ParsedType, wanted: ParsedType, from: number, to: number): TypeChange => {
  // A column for Unicode text also holds ASCII.
  if (!isKnown(present) || !isKnown(wanted)) return { kind: "other" };
  if (to < from) return { kind: "shorter", length: to };
  return to > from || (isNarrow(present) && !isNarrow(wanted)) ? { kind: "wider" } : { kind: "none" };
};

/** Compares two types, both in the spelling of `reportedType`. */
export const typeChange = (present: string, wanted: string): TypeChange => {
  if (present === wanted) return { kind: "none" };
  const [before, after] = [parse(present), parse(wanted)];
  const [from, to] = [lengthOf(before), lengthOf(after)];
  if (from !== undefined && to !== undefined) return textChange(before, after, from, to);
  if (before.name === "decimal" && after.name === "decimal") {
    const [digits = 0, decimals = 0] = before.sizes;
    const [newDigits = 0, newDecimals = 0] = after.sizes;
    const isWider = newDecimals >= decimals && newDigits - newDecimals >= digits - decimals;
    return { kind: isWider ? "wider" : "other" };
  }
  return { kind: "other" };
};
