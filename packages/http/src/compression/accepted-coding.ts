import type { Coding } from "./compressor.ts";

/** The codings that a caller accepts. */
export interface AcceptedCoding {
  /**
   * The coding that it prefers; `undefined` if it accepts no available coding, not even plain
   * bytes.
   */
  readonly best: Coding | "identity" | undefined;
  /** Whether it accepts plain bytes. */
  readonly plain: boolean;
  /** Every coding that it accepts. */
  readonly codings: readonly Coding[];
}

/** `x-gzip` is an older name of `gzip` (RFC 9110, section 8.4.1.3). */
const nameOf = (text: string): string => (text === "x-gzip" ? "gzip" : text);

/** An invalid weight counts as absent. */
const weightOf = (parameters: readonly string[]): number => {
  const text = parameters.map((parameter) => parameter.trim()).find((parameter) => /^q=/i.test(parameter));
  if (text === undefined) return 1;
  const weight = Number(text.slice(2));
  return weight > 0 ? Math.min(weight, 1) : 0;
};

const weightsIn = (header: string): ReadonlyMap<string, number> => {
  const weights = new Map<string, number>();
  for (const entry of header.split(",")) {
    const [name = "", ...parameters] = entry.split(";");
    const coding = nameOf(name.trim().toLowerCase());
    if (coding !== "" && !weights.has(coding)) weights.set(coding, weightOf(parameters));
  }
  return weights;
};

/**
 * Reads `Accept-Encoding` (RFC 9110, section 12.5.3). `available` is what the server can make, the
 * best first. Without the header every coding is allowed; the answer then has plain bytes, which
 * everybody can read. If the header does not name plain bytes, they are still accepted, but only if
 * it names nothing better. `identity;q=0` refuses them, and so does `*;q=0` if they are not named.
 */
export const acceptedCoding = (header: string | undefined, available: readonly Coding[]): AcceptedCoding => {
  if (header === undefined) return { best: "identity", plain: true, codings: available };
  const weights = weightsIn(header);
  const others = weights.get("*") ?? 0;
  const identity = weights.get("identity") ?? (weights.get("*") === 0 ? 0 : undefined);
  const plain = identity !== 0;
  const weighed = available
    .map((coding) => ({ coding, weight: weights.get(coding) ?? others }))
    .filter(({ weight }) => weight > 0);
  const codings = weighed.map(({ coding }) => coding);
  // Of equal weights the first stays in front: `toSorted` is stable.
  const [first] = weighed.toSorted((a, b) => b.weight - a.weight);
  if (first === undefined) return { best: plain ? "identity" : undefined, plain, codings };
  return { best: identity !== undefined && identity > first.weight ? "identity" : first.coding, plain, codings };
};
