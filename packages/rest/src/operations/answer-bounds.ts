/** How large the answer to a read may become. */
export interface AnswerBounds {
  /** Bytes of JSON. */
  readonly bytes: number;
  /** How many rows. An included row counts each time it appears in the answer. */
  readonly rows: number;
}

export const defaultAnswerBounds: AnswerBounds = { bytes: 8 * 1024 * 1024, rows: 10_000 };
