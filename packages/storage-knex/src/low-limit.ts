/** A setting of the database server that is too low, or too weak, for what is needed. */
export interface LowLimit {
  /** The variable of the server. */
  readonly name: string;
  readonly found: number | string;
  /** What happens, and what to set. */
  readonly text: string;
}
