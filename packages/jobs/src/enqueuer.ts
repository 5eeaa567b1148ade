import type { NewJob, Ports } from "@postern/core";
import { groupCommit } from "./group-commit.ts";
import type { LocalHandoff } from "./local-handoff.ts";

/** Lists of jobs that are enqueued while a commit is under way share the next one. */
const limits = { items: 500, waiting: 10_000 };

/**
 * Stores lists of jobs, each list as a whole, and returns their ids. If a worker of this process
 * has free slots, it gets jobs with the commit that stores them.
 */
export const createEnqueuer = (
  { storage, clock, wakeup }: Pick<Ports, "storage" | "clock" | "wakeup">,
  handoff: Pick<LocalHandoff, "store">,
) =>
  groupCommit<readonly NewJob[], readonly number[]>(async (lists) => {
    const jobs = lists.flat();
    const ids = await handoff.store<readonly number[]>(jobs, wakeup, async (offer) => {
      if (offer === undefined) return { result: await storage.jobs.enqueue(jobs, clock.now()), claimed: [] };
      const stored = await storage.jobs.enqueueFor(offer, jobs, clock.now());
      return { result: stored.ids, claimed: stored.claimed };
    });
    let end = 0;
    return lists.map(({ length }) => {
      end += length;
      return ids.slice(end - length, end);
    });
  }, limits);
