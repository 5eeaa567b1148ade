import type { Liveness } from "@postern/core";

export interface ClosableLiveness extends Liveness {
  /** Ends every lock this process holds. */
  close(): Promise<void>;
}
