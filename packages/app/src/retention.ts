import type { Expiring } from "@postern/core/ports";

/** How long things are kept, in days. */
export type Retention = Readonly<Record<Expiring, number>>;

/**
 * Repeats are recognised as long as their event is kept; no sender repeats an event after 35 days.
 * Bodies, which hold personal data, are deleted earlier.
 */
export const defaultRetention: Retention = {
  done_jobs: 1,
  cancelled_jobs: 7,
  dead_jobs: 35,
  events: 35,
  bodies: 14,
  runners: 1,
  slots: 8,
  audit: 400,
};
