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
