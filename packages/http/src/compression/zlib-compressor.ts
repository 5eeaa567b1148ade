import type { Compressor } from "./compressor.ts";

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

/** Measured on lists of 10 kB: brotli 1 is faster than gzip 1, and its result is smaller. */
const cheap = 1;
/** A document is compressed once, so it may take a fifth of a second for a megabyte. */
const thorough = 9;

/**
 * Compresses with zlib. `undefined` in a runtime without zlib, and in Cloudflare's: those compress
 * answers themselves.
 */
export const zlibCompressor = (): Compressor | undefined => {
  const zlib = zlibOf();
  if (zlib === undefined) return undefined;
  const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT } = zlib.constants;
  const brotli = (quality: number, { length }: Uint8Array) => ({
    params: { [BROTLI_PARAM_QUALITY]: quality, [BROTLI_PARAM_SIZE_HINT]: length },
  });
  return {
    codings: ["br", "gzip"],
    compressNow: (coding, bytes) =>
      coding === "br" ? zlib.brotliCompressSync(bytes, brotli(cheap, bytes)) : zlib.gzipSync(bytes, { level: cheap }),
    compress: (coding, bytes) =>
      new Promise((resolve, reject) => {
        const done = (error: Error | null, result: Uint8Array): void =>
          error === null ? resolve(result) : reject(error);
        if (coding === "br") zlib.brotliCompress(bytes, brotli(thorough, bytes), done);
        else zlib.gzip(bytes, { level: thorough }, done);
      }),
  };
};
