import type { Liveness } from "@postern/core";

export interface ClosableLiveness extends Liveness {
  /** Releases every lock that this process holds. */
  close(): Promise<void>;
}
