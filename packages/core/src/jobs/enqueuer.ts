import type { Ports } from "../ports/index.ts";
import type { NewJob } from "../ports/job.ts";
import { naturalBatch } from "./natural-batch.ts";
import type { SlotDesk } from "./slot-desk.ts";

/** Lists of jobs that are enqueued while a commit is under way share the next one. */
const limits = { items: 500, waiting: 10_000 };

/** Stores lists of jobs, each as a whole, and hands what it can to a worker of this process with the commit that stores them; their ids. */
export const createEnqueuer = ({
  ports,
  slotDesk,
}: {
  readonly ports: Pick<Ports, "storage" | "clock" | "wakeup">;
  readonly slotDesk: SlotDesk;
}) =>
  naturalBatch<readonly NewJob[], readonly number[]>(async (lists) => {
    const { storage, clock, wakeup } = ports;
    const jobs = lists.flat();
    const reservation = slotDesk.reserve(jobs[0]?.queue ?? "default", jobs.length);
    const store = async (): Promise<readonly number[]> => {
      if (reservation === undefined) {
        const ids = await storage.jobs.enqueue(jobs, clock.now());
        wakeup.notify();
        return ids;
      }
      try {
        const { ids, claimed } = await storage.jobs.enqueueFor(reservation.offer, jobs, clock.now());
        reservation.start(claimed);
        if (claimed.length < ids.length) wakeup.notify();
        return ids;
      } catch (thrown) {
        reservation.fail();
        throw thrown;
      }
    };
    const ids = await store();
    let end = 0;
    return lists.map(({ length }) => {
      end += length;
      return ids.slice(end - length, end);
    });
  }, limits);
