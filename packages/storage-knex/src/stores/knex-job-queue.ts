import { type ClaimedJob, type ClaimRequest, type JobOutcome, type JobQueue, jobStates } from "@postern/core";
import { checkLimit, chunksOf, type Database, type Session } from "../database.ts";
import { countRunning, queueOrder, readyIn, roomOf } from "../dialect.ts";
import { insertJobsFor } from "./fresh-jobs.ts";
import { type EndingJob, endingColumns, writeEnds } from "./job-ends.ts";
import { insertJobs, type JobToInsert } from "./job-rows.ts";
import { rejoinLanes, repairTurns, rulesOf } from "./lanes.ts";
import { readyOrderAt } from "./ready-order.ts";

const chunkSize = 1000;

const leaseKey = ({ id, lease }: { readonly id: number; readonly lease: number }): string => `${id}/${lease}`;

interface ReadyRow {
  readonly id: number;
  readonly ready_order: number;
  readonly priority: number;
}

const isOlder = (one: ReadyRow, other: ReadyRow): boolean =>
  one.ready_order < other.ready_order || (one.ready_order === other.ready_order && one.id < other.id);

export const knexJobQueue = (database: Database): JobQueue => {
  const { dialect } = database;

  /** Ends those of the jobs whose lease still holds; which ones. A lease ends one attempt, so the first of two ends counts. */
  const endHeld = async (
    session: Session,
    outcomes: ReadonlyMap<string, JobOutcome>,
    now: number,
  ): Promise<ReadonlySet<string>> => {
    const ids = dialect.anyOf(
      "id",
      [...outcomes.values()].map(({ job }) => job.id),
    );
    const running = await session.rows<Omit<EndingJob, "end"> & { lease: number }>(
      `SELECT ${endingColumns}, lease FROM job WHERE ${ids.sql} AND state = ${jobStates.running} ORDER BY id${dialect.forUpdate}`,
      ids.values,
    );
    const held = running.flatMap(({ lease, ...job }): EndingJob[] => {
      const outcome = outcomes.get(leaseKey({ id: job.id, lease }));
      return outcome === undefined ? [] : [{ ...job, end: outcome.end }];
    });
    if (held.length > 0) await writeEnds(database, session, held, now);
    return new Set(running.map(leaseKey).filter((key) => outcomes.has(key)));
  };

  /** Goes from one priority in use to the next, so that a long queue is not read. */
  const priorityOfOldest = ({ queue, kinds }: Pick<ClaimRequest, "queue" | "kinds">): Promise<number | undefined> =>
    database.read(async (session) => {
      const ofKind = kinds === undefined ? { sql: "1 = 1", values: [] } : dialect.anyTextOf("kind", kinds);
      let oldest: ReadyRow | undefined;
      let above = Number.MIN_SAFE_INTEGER;
      for (;;) {
        const [first] = await session.rows<ReadyRow>(
          `SELECT id, ready_order, priority FROM job
            WHERE state = ${jobStates.ready} AND queue = ? AND suspect = 0 AND priority > ? AND ${ofKind.sql}
            ORDER BY ${queueOrder} LIMIT 1`,
          [queue, above, ...ofKind.values],
        );
        if (first === undefined) return oldest?.priority;
        if (oldest === undefined || isOlder(first, oldest)) oldest = first;
        above = first.priority;
      }
    });

  /** How many jobs of the queue may start before its limit over all runners is reached. */
  const roomFor = async (queue: string, limit: number, globalLimit: number | undefined): Promise<number> => {
    if (globalLimit === undefined) return limit;
    const [count] = await database.read((session) => session.rows<{ running: number }>(countRunning, [queue]));
    return roomOf({ limit, globalLimit }, count?.running ?? 0);
  };

  return {
    enqueue: async (jobs, now) => {
      if (jobs.length === 0) return [];
      const first = await database.ids.take("job", jobs.length);
      const rows = jobs.map((job, index) => ({ ...job, id: first + index, createdAt: now }));
      return database.write((session) => insertJobs(database, session, rows));
    },
    enqueueFor: async (offer, jobs, now) => {
      if (jobs.length === 0) return { ids: [], claimed: [] };
      const first = await database.ids.take("job", jobs.length);
      const lease = await database.ids.take("lease", 1);
      const rows = jobs.map((job, index): JobToInsert => ({ ...job, id: first + index, createdAt: now }));
      return database.write((session) => insertJobsFor(database, session, rows, { ...offer, lease }));
    },
    claim: async ({ runnerId, queue, kinds, limit, now, pick, globalLimit }) => {
      checkLimit(limit);
      // Neither a number nor a write where there is no room.
      if ((await roomFor(queue, limit, globalLimit)) === 0) return [];
      const lease = () => database.ids.take("lease", 1);
      const priority = pick === "arrival" ? await priorityOfOldest({ queue, ...(kinds && { kinds }) }) : undefined;
      const suspects = pick === "suspects";
      const wanted = { queue, kinds, limit, runnerId, now, suspects, priority, globalLimit, lease };
      const claimed = await dialect.claim(database, wanted);
      if (claimed === undefined) return [];
      return claimed.rows.map(
        (row): ClaimedJob => ({
          id: row.id,
          lease: claimed.lease,
          kind: row.kind,
          queue,
          attempt: row.attempt,
          maxAttempts: row.max_attempts,
          losses: row.losses,
          eventId: row.event_ref ?? undefined,
          isOrdered: row.order_key !== null,
          payload: row.payload === null ? undefined : JSON.parse(row.payload),
          createdAt: row.created_at,
        }),
      );
    },
    canClaim: async ({ queue, kinds, pick, globalLimit }) => {
      const ready = readyIn(dialect, { queue, kinds, suspects: pick === "suspects", priority: undefined });
      const found = await database.read((session) =>
        session.rows(`SELECT id FROM job WHERE ${ready.sql} LIMIT 1`, ready.values),
      );
      return found.length > 0 && (await roomFor(queue, 1, globalLimit)) > 0;
    },
    finish: async (outcomes, now) => {
      if (outcomes.length === 0) return [];
      const first = new Map<string, JobOutcome>();
      for (const outcome of outcomes) if (!first.has(leaseKey(outcome.job))) first.set(leaseKey(outcome.job), outcome);
      const written = await database.write(async (session) => {
        const all = new Set<string>();
        for (const chunk of chunksOf([...first], chunkSize)) {
          for (const key of await endHeld(session, new Map(chunk), now)) all.add(key);
        }
        return all;
      });
      return outcomes.map(
        (outcome) => first.get(leaseKey(outcome.job)) === outcome && written.has(leaseKey(outcome.job)),
      );
    },
    leaseState: async ({ id, lease }) => {
      const [row] = await database.read((session) =>
        session.rows<{ state: number; lease: number | null; committed_at: number | null }>(
          "SELECT state, lease, committed_at FROM job WHERE id = ?",
          [id],
        ),
      );
      if (row?.lease !== lease) return "lost";
      if (row.state !== jobStates.running) return "spent";
      return row.committed_at === null ? "held" : "committed";
    },
    promoteDue: async (now) => {
      let promoted = 0;
      for (;;) {
        // Looked for first, so that nothing is written when nothing is due; then moved by primary key, like everywhere.
        const due = await database.read((session) =>
          session.rows<{ id: number; order_key: unknown; order_rules: number }>(
            `SELECT id, order_key, order_rules FROM job
              WHERE state = ${jobStates.scheduled} AND due_at <= ? ORDER BY due_at LIMIT ${chunkSize}`,
            [now],
          ),
        );
        if (due.length === 0) return promoted;
        const passed = due.filter((job) => job.order_key !== null && rulesOf(job.order_rules).onRetry === "yield");
        const where = dialect.anyOf(
          "id",
          due.filter((job) => !passed.includes(job)).map(({ id }) => id),
        );
        promoted += await database.write(async (session) => {
          const { changed } = await session.run(
            `UPDATE job SET state = ${jobStates.ready}, due_at = NULL, ready_at = ?, ready_order = ?
              WHERE ${where.sql} AND state = ${jobStates.scheduled}`,
            [now, readyOrderAt(now), ...where.values],
          );
          const rejoined = await rejoinLanes(
            database,
            session,
            passed.map(({ id }) => id),
            now,
          );
          return changed + rejoined;
        });
        if (due.length < chunkSize) return promoted;
      }
    },
    nextDueAt: async () => {
      const [row] = await database.read((session) =>
        session.rows<{ due: number | null }>(
          `SELECT MIN(due_at) AS due FROM job WHERE state = ${jobStates.scheduled} AND due_at IS NOT NULL`,
        ),
      );
      return row?.due ?? undefined;
    },
    repairTurns: (now) => repairTurns(database, now),
  };
};
