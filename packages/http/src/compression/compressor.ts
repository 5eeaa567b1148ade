/** A content coding (RFC 9110, section 8.4.1). */
export type Coding = "br" | "gzip";

/**
 * Makes answers smaller. It holds no state, so one is enough for a process. What it makes decodes
 * to exactly the bytes that it got.
 */
export interface Compressor {
  /** The codings that it can make. If a caller prefers several equally, the first one counts. */
  readonly codings: readonly Coding[];
  /** Compresses an answer of at most 64 KiB at once, on the calling thread, and cheaply. */
  compressNow(coding: Coding, bytes: Uint8Array): Uint8Array;
  /**
   * Compresses a document on another thread, and thoroughly: the result is kept. If it rejects, the
   * document is sent uncompressed, and the next caller tries again.
   */
  compress(coding: Coding, bytes: Uint8Array): Promise<Uint8Array>;
}

/**
 * The module is requested at run time and not imported: this package runs on every runtime with
 * fetch, and a bundler for the browser finds no import to replace. Cloudflare's runtime may have it,
 * but compresses answers with `content-encoding` itself.
 */
const zlibOf = () => {
  const { navigator } = globalThis as { readonly navigator?: { readonly userAgent?: string } };
  if (typeof process !== "object" || navigator?.userAgent === "Cloudflare-Workers") return undefined;
  return process.getBuiltinModule?.("node:zlib");
};

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
  const at = (level: number, { length }: Uint8Array) => ({
    level,
    params: { [BROTLI_PARAM_QUALITY]: level, [BROTLI_PARAM_SIZE_HINT]: length },
  });
  return {
    codings: ["br", "gzip"],
    compressNow: (coding, bytes) =>
      (coding === "br" ? zlib.brotliCompressSync : zlib.gzipSync)(bytes, at(cheap, bytes)),
    compress: (coding, bytes) =>
      new Promise((resolve, reject) => {
        const compress: typeof zlib.gzip = coding === "br" ? zlib.brotliCompress : zlib.gzip;
        compress(bytes, at(thorough, bytes), (error, made) => (error === null ? resolve(made) : reject(error)));
      }),
  };
};
