import type { Algorithm, HashName, Piece } from "./contract.ts";

/** How many pieces of the content precede the secret in a plain hash. */
const precede: Partial<Record<string, number>> = { prefix: 0, infix: 1, suffix: Number.POSITIVE_INFINITY };

/** A plain hash of secret and content; `undefined` for every other algorithm. */
export const plainHash = (
  algorithm: Algorithm,
):
  | { readonly name: HashName; readonly whole: (secret: Uint8Array, pieces: readonly Piece[]) => readonly Piece[] }
  | undefined => {
  const [name, place = ""] = algorithm.split("-");
  const count = precede[place];
  return count === undefined
    ? undefined
    : {
        // Only hashes have such a place.
        name: name as HashName,
        whole: (secret, pieces) => [...pieces.slice(0, count), secret, ...pieces.slice(count)],
      };
};
