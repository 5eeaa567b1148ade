/** A body that comes in pieces. */
export interface BodyPieces {
  add(piece: Buffer): void;
  /** All that came so far, in one. */
  whole(): Buffer;
}

const least = 1024;

/**
 * Puts the pieces of a body together as they come, in memory that doubles as it fills: a sender of chunks of one byte must not make us keep an object of some
 * hundred bytes for each, which no budget of bytes would see. A body that comes in one piece, as most do, is not copied.
 */
export const bodyPieces = (): BodyPieces => {
  let memory: Buffer = Buffer.alloc(0);
  let length = 0;
  return {
    add: (piece) => {
      const needed = length + piece.length;
      if (length === 0) memory = piece;
      else {
        if (needed > memory.length) {
          const larger = Buffer.allocUnsafeSlow(Math.max(2 * memory.length, needed, least));
          memory.copy(larger, 0, 0, length);
          memory = larger;
        }
        piece.copy(memory, length);
      }
      length = needed;
    },
    whole: () => memory.subarray(0, length),
  };
};
