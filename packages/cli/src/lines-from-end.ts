import type { FileHandle } from "node:fs/promises";

const newline = 0x0a;
const usualPieceBytes = 64 * 1024;

/** How many lines a file has. */
export const countLines = async (file: FileHandle): Promise<number> => {
  const piece = Buffer.alloc(usualPieceBytes);
  let lines = 1;
  for (let start = 0; ; ) {
    const { bytesRead } = await file.read(piece, 0, piece.length, start);
    if (bytesRead === 0) return lines;
    const read = piece.subarray(0, bytesRead);
    for (let at = read.indexOf(newline); at !== -1; at = read.indexOf(newline, at + 1)) lines += 1;
    start += bytesRead;
  }
};

/** The lines of a file from the last to the first. Only one line and a piece of the file are in memory. */
export async function* linesFromEnd(file: FileHandle, pieceBytes = usualPieceBytes): AsyncGenerator<string> {
  let end = (await file.stat()).size;
  /** The end of a line whose beginning has not been read yet. */
  let rest: Buffer[] = [];
  while (end > 0) {
    const wanted = Buffer.alloc(Math.min(pieceBytes, end));
    const { bytesRead } = await file.read(wanted, 0, wanted.length, end - wanted.length);
    if (bytesRead < wanted.length) throw new TypeError("the file became shorter while it was read");
    let stop = wanted.length;
    while (stop > 0) {
      const at = wanted.lastIndexOf(newline, stop - 1);
      if (at === -1) break;
      yield Buffer.concat([wanted.subarray(at + 1, stop), ...rest.toReversed()]).toString();
      rest = [];
      stop = at;
    }
    rest.push(wanted.subarray(0, stop));
    end -= wanted.length;
  }
  yield Buffer.concat(rest.toReversed()).toString();
}
