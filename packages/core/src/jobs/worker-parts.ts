import type { InboxHandler } from "../inbox/handler.ts";
import type { Providers } from "../inbox/provider-registry.ts";
import type { Ports } from "../ports/index.ts";
import type { JobHandler } from "./job-handler.ts";
import type { Schedule } from "./schedule.ts";
import type { SlotDesk } from "./slot-desk.ts";

/** What a worker works with: the ports, and what the application declared. */
export interface WorkerParts {
  readonly ports: Pick<
    Ports,
    "storage" | "clock" | "cronPlan" | "liveness" | "randomness" | "telemetry" | "alerts" | "wakeup"
  >;
  readonly providers: Pick<Providers, "find">;
  readonly handlers: readonly InboxHandler[];
  readonly jobs: readonly JobHandler[];
  readonly schedules: readonly Schedule[];
  readonly slotDesk: SlotDesk;
}
