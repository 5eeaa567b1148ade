/** A content coding (RFC 9110, section 8.4.1). */
export type Coding = "br" | "gzip";

/** How much work to spend on a compression. */
export type Effort =
  /** The answer is read once, or by few callers: compress it as cheaply as possible. */
  | "once"
  /** The result is kept and read by many: make it as small as possible within a second. */
  | "kept";

/**
 * Makes answers smaller. It holds no state, so one is enough for a process. What it makes decodes
 * to exactly the bytes that it got.
 */
export interface Compressor {
  /** The codings that it can make. If a caller prefers several equally, the first one counts. */
  readonly codings: readonly Coding[];
  /** How many compressions on threads to run at once; further ones wait. */
  readonly atOnce: number;
  /**
   * Compresses at once, on the calling thread. It is called for 64 KiB at most, with the effort
   * `once`.
   */
  compressNow(coding: Coding, bytes: Uint8Array): Uint8Array;
  /**
   * Compresses on another thread. It rejects if memory is short; the answer is then sent
   * uncompressed.
   */
  compress(coding: Coding, bytes: Uint8Array, effort: Effort): Promise<Uint8Array>;
}
