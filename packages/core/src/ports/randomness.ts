/** The source of unpredictable values. Driven port; deterministic in tests. */
export interface Randomness {
  /** `length` bytes (1 to 1,024) fit for secrets. */
  bytes(length: number): Uint8Array;
  /** A number in [0, 1), for jitter; not for secrets. */
  fraction(): number;
}
