/** A content coding (RFC 9110, section 8.4.1). */
export type Coding = "br" | "gzip";

/** How much work a compression is worth. */
export type Effort =
  /** The answer is read once, or by few: as cheap as it can be. */
  | "once"
  /** The result is kept and read by many: as small as it can be within a second. */
  | "kept";

/**
 * Makes answers smaller. It holds no state, so one is enough for a process. What it makes decodes to
 * exactly the bytes that it got.
 */
export interface Compressor {
  /** What it can make; the first one is taken where a caller likes several equally. */
  readonly codings: readonly Coding[];
  /** Compresses at once, on the calling thread. It is called for 64 KiB at most, with the effort `once`. */
  compressNow(coding: Coding, bytes: Uint8Array): Uint8Array;
  /** Compresses beside the calling thread. It rejects where memory is short; the answer leaves as it is then. */
  compress(coding: Coding, bytes: Uint8Array, effort: Effort): Promise<Uint8Array>;
}
