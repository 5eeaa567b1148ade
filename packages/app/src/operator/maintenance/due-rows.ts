import type { Ports } from "@postern/core";
import type { Counted } from "@postern/core/ports";
import type { Retention } from "../../retention.ts";

const dayMs = 24 * 3600_000;

/** Rows of one kind that were kept long enough. */
export interface DueRows {
  readonly what: Counted;
  /** Counted up to `dueCountedAtMost`. */
  readonly rows: number;
  /** For how long the oldest of them has been due. */
  readonly behindMs: number;
}

/** Counting stops here: it is what a read may take beside other work. */
export const dueCountedAtMost = 10_000;

const counted: readonly Counted[] = ["bodies", "events", "done_jobs", "cancelled_jobs", "dead_jobs"];

/** What retention has not deleted yet although it has been due for longer than `graceMs`. */
export const readDueRows = async (
  { storage, clock }: Pick<Ports, "storage" | "clock">,
  retention: Retention,
  graceMs: number,
): Promise<readonly DueRows[]> => {
  const found: DueRows[] = [];
  for (const what of counted) {
    const before = clock.now() - retention[what] * dayMs;
    const { rows, oldest = before } = await storage.housekeeping.due(what, before - graceMs, dueCountedAtMost);
    found.push({ what, rows, behindMs: rows === 0 ? 0 : before - oldest });
  }
  return found;
};
