import {
  type ClaimedJob,
  type ClaimRequest,
  type JobFailure,
  type JobOutcome,
  type JobState,
  type JobStore,
  jobStates,
} from "@postern/core";
import { checkLimit, chunksOf, type Database, keyText, type Session, type Value } from "../database.ts";
import { countRunning, roomOf } from "../dialect.ts";
import { insertJobsFor } from "./fresh-jobs.ts";
import { type EndingJob, endingColumns, writeEnds } from "./job-ends.ts";
import {
  insertJobs,
  type JobRow,
  type JobToInsert,
  jobColumns,
  type ReplacedRow,
  replacedColumns,
  replaceJobs,
  runAtOnce,
  stateName,
  toJob,
} from "./job-rows.ts";
import { knexQueues } from "./knex-queues.ts";
import { knexRunnerRegistry } from "./knex-runner-registry.ts";
import { isHolding, keepsTurn, passTurns, rejoinLanes, repairTurns } from "./lanes.ts";

const chunkSize = 1000;

const ended: ReadonlySet<number> = new Set([jobStates.done, jobStates.dead, jobStates.cancelled]);

const leaseKey = ({ id, lease }: { readonly id: number; readonly lease: number }): string => `${id}/${lease}`;

export const knexJobStore = (database: Database): JobStore => {
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

  /** Cancels a dead job that holds its order key, so that the next in line has the turn; false for any other that has ended. */
  const letGo = async (session: Session, job: Pick<EndingJob, "id" | "order_key">, now: number): Promise<boolean> => {
    const { changed } = await session.run(
      `UPDATE job SET state = ${jobStates.cancelled}, finished_at = ? WHERE id = ? AND ${isHolding}`,
      [now, job.id],
    );
    if (changed === 0 || job.order_key === null) return false;
    await passTurns(database, session, [{ id: job.id, orderKey: keyText(job.order_key) }], now);
    return true;
  };

  /** Goes from one priority in use to the next, so that a long queue is not read. */
  const priorityOfOldest = (queue: ClaimRequest["queue"]): Promise<number | undefined> =>
    database.read(async (session) => {
      let oldest: { id: number; priority: number } | undefined;
      let above = Number.MIN_SAFE_INTEGER;
      for (;;) {
        const [first] = await session.rows<{ id: number; priority: number }>(
          `SELECT id, priority FROM job
            WHERE state = ${jobStates.ready} AND queue = ? AND suspect = 0 AND priority > ? ORDER BY priority, id LIMIT 1`,
          [queue, above],
        );
        if (first === undefined) return oldest?.priority;
        if (oldest === undefined || first.id < oldest.id) oldest = first;
        above = first.priority;
      }
    });

  return {
    ...knexRunnerRegistry(database),
    ...knexQueues(database),
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
    claim: async ({ runnerId, queue, limit, now, pick, globalLimit }) => {
      checkLimit(limit);
      // Neither a number nor a write where there is no room.
      if (globalLimit !== undefined) {
        const [count] = await database.read((session) => session.rows<{ running: number }>(countRunning, [queue]));
        if (roomOf({ limit, globalLimit }, count?.running ?? 0) === 0) return [];
      }
      const lease = () => database.ids.take("lease", 1);
      const priority = pick === "arrival" ? await priorityOfOldest(queue) : undefined;
      const suspects = pick === "suspects";
      const wanted = { queue, limit, runnerId, now, suspects, priority, globalLimit, lease };
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
          payload: row.payload === null ? undefined : JSON.parse(row.payload),
          createdAt: row.created_at,
        }),
      );
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
        session.rows<{ state: number; lease: number | null }>("SELECT state, lease FROM job WHERE id = ?", [id]),
      );
      if (row?.lease !== lease) return "lost";
      return row.state === jobStates.running ? "held" : "spent";
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
        const passed = due.filter((job) => job.order_key !== null && !keepsTurn(job.order_rules));
        const where = dialect.anyOf(
          "id",
          due.filter((job) => !passed.includes(job)).map(({ id }) => id),
        );
        promoted += await database.write(async (session) => {
          const { changed } = await session.run(
            `UPDATE job SET state = ${jobStates.ready}, due_at = NULL, ready_at = ? WHERE ${where.sql} AND state = ${jobStates.scheduled}`,
            [now, ...where.values],
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
    find: async (id) => {
      const [row] = await database.read((session) =>
        session.rows<JobRow>(`SELECT ${jobColumns} FROM job WHERE id = ?`, [id]),
      );
      return row === undefined ? undefined : toJob(row);
    },
    list: async ({ eventId, state, kind, queue, before, limit }) => {
      checkLimit(limit);
      const conditions: [string, Value][] = [];
      if (eventId !== undefined) conditions.push(["event_ref = ?", eventId]);
      if (kind !== undefined) conditions.push(["kind = ?", kind]);
      if (queue !== undefined) conditions.push(["queue = ?", queue]);
      if (before !== undefined) conditions.push(["id < ?", before]);
      // The state stands in the text: SQLite uses a partial index only when it can read that it applies.
      const where = [
        "1 = 1",
        ...conditions.map(([sql]) => sql),
        ...(state === undefined ? [] : [`state = ${jobStates[state]}`]),
      ];
      const rows = await database.read((session) =>
        session.rows<JobRow>(`SELECT ${jobColumns} FROM job WHERE ${where.join(" AND ")} ORDER BY id DESC LIMIT ?`, [
          ...conditions.map(([, value]) => value),
          limit,
        ]),
      );
      return rows.map(toJob);
    },
    failures: async (id, limit) => {
      checkLimit(limit);
      const newest = await database.read((session) =>
        session.rows<JobFailure>(
          "SELECT attempt, at, error FROM job_failure WHERE job_id = ? ORDER BY id DESC LIMIT ?",
          [id, limit],
        ),
      );
      return newest.toReversed();
    },
    cancel: (id, now) =>
      database.write(async (session) => {
        const [job] = await session.rows<Omit<EndingJob, "end"> & { state: number }>(
          `SELECT ${endingColumns}, state FROM job WHERE id = ?${dialect.forUpdate}`,
          [id],
        );
        if (job === undefined) return undefined;
        if (ended.has(job.state)) return (await letGo(session, job, now)) ? "cancelled" : undefined;
        if (job.state === jobStates.running) {
          await session.run("UPDATE job SET cancel_at = ? WHERE id = ? AND cancel_at IS NULL", [now, id]);
          return "requested";
        }
        // It is not the turn of a blocked one, so there is none to pass on.
        const inOrder = job.state === jobStates.blocked ? { order_key: null } : {};
        await writeEnds(database, session, [{ ...job, ...inOrder, end: { to: "cancelled" } }], now);
        return "cancelled";
      }),
    repairTurns: (now) => repairTurns(database, now),
    runningOf: async (runnerId) => {
      const rows = await database.read((session) =>
        session.rows<{ id: number; lease: number; cancel_at: number | null }>(
          `SELECT id, lease, cancel_at FROM job WHERE runner = ? AND state = ${jobStates.running}`,
          [runnerId],
        ),
      );
      return rows.map(({ id, lease, cancel_at: cancelAt }) => ({ id, lease, cancelAt: cancelAt ?? undefined }));
    },
    retry: (id, now) =>
      database.write(async (session) => {
        // The event's row is the lock between this and a replay of the event.
        const [event] = await session.rows<{ body_dropped: number }>(
          `SELECT body_dropped FROM inbox_event WHERE id = (SELECT event_ref FROM job WHERE id = ?)${dialect.forUpdate}`,
          [id],
        );
        const [job] = await session.rows<ReplacedRow & { state: number; replaced_by: number | null }>(
          `SELECT ${replacedColumns}, state, replaced_by FROM job WHERE id = ?${dialect.forUpdate}`,
          [id],
        );
        if (job?.state === jobStates.scheduled) {
          await runAtOnce(database, session, id, now);
          return id;
        }
        const givenUp = job?.state === jobStates.dead || job?.state === jobStates.cancelled;
        if (job === undefined || !givenUp || job.replaced_by !== null || event?.body_dropped === 1) return undefined;
        return (await replaceJobs(database, session, [job], now))[0];
      }),
    countByState: async () => {
      const rows = await database.read((session) =>
        session.rows<{ state: number; jobs: number }>("SELECT state, COUNT(*) AS jobs FROM job GROUP BY state"),
      );
      const counts: Record<JobState, number> = {
        ready: 0,
        scheduled: 0,
        running: 0,
        blocked: 0,
        done: 0,
        dead: 0,
        cancelled: 0,
      };
      for (const { state, jobs } of rows) counts[stateName(state)] = jobs;
      return counts;
    },
  };
};
