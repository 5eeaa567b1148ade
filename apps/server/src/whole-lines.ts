import { Transform } from "node:stream";

const newline = 10;
/** A line that is longer than this is passed on unfinished. */
const longestLineBytes = 1024 * 1024;

/**
 * Passes on whole lines only, so that lines of several processes do not run into each other. The
 * last line is passed on at the end, even without a newline.
 */
export const wholeLines = (): Transform => {
  let rest: Buffer = Buffer.alloc(0);
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const all = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      const end = all.length > longestLineBytes ? all.length : all.lastIndexOf(newline) + 1;
      rest = all.subarray(end);
      done(null, end === 0 ? undefined : all.subarray(0, end));
    },
    flush(done) {
      done(null, rest.length === 0 ? undefined : rest);
    },
  });
};
