import { utf8 } from "./runtime.ts";

/** Joins `pieces` in one array. */
export const concat = (pieces: readonly Uint8Array[]): Uint8Array => {
  const [only] = pieces;
  if (only !== undefined && pieces.length === 1) return only;
  const all = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
};

/** Joins pieces in one array. Texts become UTF-8. */
export const joined = (pieces: readonly (string | Uint8Array)[]): Uint8Array =>
  concat(pieces.map((piece) => (typeof piece === "string" ? utf8(piece) : piece)));
