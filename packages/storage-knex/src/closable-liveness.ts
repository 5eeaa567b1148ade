import type { Liveness } from "@postern/core/parts";

export interface ClosableLiveness extends Liveness {
  /** Releases every lock that this process holds. */
  close(): Promise<void>;
}
