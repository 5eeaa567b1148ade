/** A body that comes in pieces. */
export interface BodyPieces {
  add(piece: Uint8Array): void;
  /** All bytes that came so far, in one piece. */
  whole(): Uint8Array;
}

const least = 1024;
const nothing = new Uint8Array();

/**
 * Puts the pieces of a body together as they come, in memory that doubles as it fills. A list of
 * the pieces would not do: a sender of chunks of one byte would make us keep an object of some
 * hundred bytes for each, which no budget of bytes would see. A body that comes in one piece, as
 * most do, is not copied.
 */
export const bodyPieces = (): BodyPieces => {
  let memory: Uint8Array = nothing;
  let length = 0;
  return {
    add: (piece) => {
      const needed = length + piece.length;
      if (length === 0) memory = piece;
      else {
        if (needed > memory.length) {
          const larger = new Uint8Array(Math.max(2 * memory.length, needed, least));
          larger.set(memory.subarray(0, length));
          memory = larger;
        }
        memory.set(piece, length);
      }
      length = needed;
    },
    whole: () => memory.subarray(0, length),
  };
};
