import type { Coding, Compressor, Effort } from "./compressor.ts";

/** Cloudflare's runtime may have zlib, but it compresses answers with `content-encoding` itself. */
const compressesItself = (): boolean =>
  (globalThis as { readonly navigator?: { readonly userAgent?: string } }).navigator?.userAgent ===
  "Cloudflare-Workers";

/**
 * The module is requested at run time and not imported: this package runs on every runtime with
 * fetch, and a bundler for the browser finds no import to replace.
 */
const zlibOf = () =>
  typeof process === "object" && !compressesItself() ? process.getBuiltinModule?.("node:zlib") : undefined;

/**
 * Measured on lists of 10 kB to 1 MB: brotli 1 is faster than gzip 1, and its result is smaller.
 * brotli 4 takes three times as long and gains nothing. A kept document is compressed once, so it
 * may take a fifth of a second for a megabyte.
 */
const quality: Readonly<Record<Effort, Readonly<Record<Coding, number>>>> = {
  once: { br: 1, gzip: 1 },
  kept: { br: 9, gzip: 9 },
};

/**
 * The pool of Node has four threads; SQLite, password hashes and files need the other two. On two
 * processors a second compression would take the event loop's.
 */
export const compressionsAtOnce = (processors: number): number => (processors > 2 ? 2 : 1);

/** The result comes in pieces of this size. Each goes once from its thread to the event loop. */
const pieceBytes = 256 * 1024;

/**
 * Compresses with zlib, on a thread of the runtime's pool if it may take longer. `undefined` in a
 * runtime without zlib, and in Cloudflare's: those compress answers themselves.
 */
export const zlibCompressor = (): Compressor | undefined => {
  const zlib = zlibOf();
  if (zlib === undefined) return undefined;
  const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT } = zlib.constants;

  const brotli = (effort: Effort, { length }: Uint8Array) => ({
    params: { [BROTLI_PARAM_QUALITY]: quality[effort].br, [BROTLI_PARAM_SIZE_HINT]: length },
  });

  return {
    codings: ["br", "gzip"],
    atOnce: compressionsAtOnce(process.getBuiltinModule("node:os").availableParallelism()),
    compressNow: (coding, bytes) =>
      coding === "br"
        ? zlib.brotliCompressSync(bytes, brotli("once", bytes))
        : zlib.gzipSync(bytes, { level: quality.once.gzip }),
    compress: (coding, bytes, effort) =>
      new Promise((resolve, reject) => {
        const done = (error: Error | null, result: Uint8Array): void =>
          error === null ? resolve(result) : reject(error);
        if (coding === "br") zlib.brotliCompress(bytes, { ...brotli(effort, bytes), chunkSize: pieceBytes }, done);
        else zlib.gzip(bytes, { level: quality[effort].gzip, chunkSize: pieceBytes }, done);
      }),
  };
};
