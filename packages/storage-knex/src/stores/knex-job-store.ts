import { type ClaimedJob, type JobOutcome, type JobState, type JobStore, jobStates } from "@postern/core";
import { checkLimit, chunksOf, type Database, type Session, type Value } from "../database.ts";
import { type EndingJob, writeEnds } from "./job-ends.ts";
import { insertJobs, type JobRow, jobColumns, stateName, toJob } from "./job-rows.ts";
import { knexRunnerRegistry } from "./knex-runner-registry.ts";

const chunkSize = 1000;

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
    const running = await session.rows<{ id: number; lease: number; attempt: number }>(
      `SELECT id, lease, attempt FROM job WHERE ${ids.sql} AND state = ${jobStates.running} ORDER BY id${dialect.forUpdate}`,
      ids.values,
    );
    const held = running.flatMap((row): EndingJob[] => {
      const outcome = outcomes.get(leaseKey(row));
      return outcome === undefined ? [] : [{ id: row.id, attempt: row.attempt, end: outcome.end }];
    });
    if (held.length > 0) await writeEnds(database, session, held, now);
    return new Set(running.map(leaseKey).filter((key) => outcomes.has(key)));
  };

  return {
    ...knexRunnerRegistry(database),
    enqueue: async (jobs, now) => {
      if (jobs.length === 0) return [];
      const first = await database.ids.take("job", jobs.length);
      const rows = jobs.map((job, index) => ({ ...job, id: first + index, createdAt: now }));
      await database.write((session) => insertJobs(database, session, rows));
      return rows.map(({ id }) => id);
    },
    claim: async ({ runnerId, queue, limit, now }) => {
      checkLimit(limit);
      const lease = () => database.ids.take("lease", 1);
      const claimed = await dialect.claim(database, { queue, limit, runnerId, now, lease });
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
      const ended = await database.write(async (session) => {
        const all = new Set<string>();
        for (const chunk of chunksOf([...first], chunkSize)) {
          for (const key of await endHeld(session, new Map(chunk), now)) all.add(key);
        }
        return all;
      });
      return outcomes.map(
        (outcome) => first.get(leaseKey(outcome.job)) === outcome && ended.has(leaseKey(outcome.job)),
      );
    },
    promoteDue: async (now) => {
      let promoted = 0;
      for (;;) {
        // Looked for first, so that nothing is written when nothing is due; then moved by primary key, like everywhere.
        const due = await database.read((session) =>
          session.rows<{ id: number }>(
            `SELECT id FROM job WHERE state = ${jobStates.scheduled} AND due_at <= ? ORDER BY due_at LIMIT ${chunkSize}`,
            [now],
          ),
        );
        if (due.length === 0) return promoted;
        const where = dialect.anyOf(
          "id",
          due.map(({ id }) => id),
        );
        const { changed } = await database.write((session) =>
          session.run(
            `UPDATE job SET state = ${jobStates.ready}, due_at = NULL WHERE ${where.sql} AND state = ${jobStates.scheduled}`,
            where.values,
          ),
        );
        promoted += changed;
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
    list: async ({ eventId, state, kind, before, limit }) => {
      checkLimit(limit);
      const conditions: [string, Value][] = [];
      if (eventId !== undefined) conditions.push(["event_ref = ?", eventId]);
      if (kind !== undefined) conditions.push(["kind = ?", kind]);
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
