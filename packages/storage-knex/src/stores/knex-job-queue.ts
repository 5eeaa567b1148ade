import { type JobOutcome, type JobQueue, jobStates, type Lease } from "@postern/core/ports";
import { chunksOf, type Database, readRows, type Session } from "../engine/database.ts";
import { runsByKey } from "../engine/dialect.ts";
import { withFreshNumbers } from "../engine/id-blocks.ts";
import { newToken } from "../engine/token.ts";
import { insertJobsFor } from "./accept-events.ts";
import { canClaimJobs, claimJobs } from "./claim-jobs.ts";
import { type EndingJob, endingColumns, failAfterCommit, writeEnds } from "./job-ends.ts";
import { insertJobs, type JobToInsert } from "./job-rows.ts";
import { repairTurns } from "./lanes.ts";
import { promoteDueJobs } from "./promote-jobs.ts";

const chunkSize = 1000;

const leaseKey = ({ id, lease }: Lease): string => `${id}/${lease}`;

/**
 * Ends those of the jobs whose lease is still valid, and returns which ones. A lease ends one
 * attempt and commits once, so the first of two ends counts.
 */
const endHeld = async (
  database: Database,
  session: Session,
  outcomes: ReadonlyMap<string, JobOutcome>,
  now: number,
): Promise<ReadonlySet<string>> => {
  const ended = await endPlain(database, session, outcomes, now);
  if (ended.size === outcomes.size) return ended;
  const { dialect } = database;
  const ids = dialect.anyOf(
    "id",
    [...outcomes].flatMap(([key, { job }]) => (ended.has(key) ? [] : [job.id])),
  );
  const running = await session.rows<Omit<EndingJob, "end"> & { lease: number }>(
    `SELECT ${endingColumns}, lease FROM job WHERE ${ids.sql} AND ${runsByKey} ORDER BY id${dialect.forUpdate}`,
    ids.values,
  );
  const held = running.flatMap(({ lease, ...job }): EndingJob[] => {
    const key = leaseKey({ id: job.id, lease });
    const end = outcomes.get(key)?.end;
    if (end === undefined || (end.to === "committed" && job.committed_at !== null)) return [];
    ended.add(key);
    return [{ ...job, end }];
  });
  if (held.length > 0) await writeEnds(database, session, held, now);
  return ended;
};

/**
 * Nearly all jobs are done after one run, and nothing waits for them. They end in one statement
 * without being read, where the database can do that.
 */
const endPlain = async (
  { dialect }: Database,
  session: Session,
  outcomes: ReadonlyMap<string, JobOutcome>,
  now: number,
): Promise<Set<string>> => {
  const done: Lease[] = [];
  for (const { job, end } of outcomes.values()) if (end.to === "done") done.push(job);
  const ended = new Set<string>();
  if (dialect.endPlain === undefined || done.length === 0) return ended;
  for (const lease of await dialect.endPlain(session, done, now)) ended.add(leaseKey(lease));
  return ended;
};

export const knexJobQueue = (database: Database): JobQueue => ({
  enqueue: async (jobs, now) => {
    if (jobs.length === 0) return [];
    return withFreshNumbers(database.ids, async (requireFresh) => {
      const first = await database.ids.take("job", jobs.length);
      const rows = jobs.map((job, index) => ({ ...job, id: first + index, createdAt: now }));
      return database.write((session) => {
        requireFresh();
        return insertJobs(database, session, rows);
      });
    });
  },
  enqueueFor: async (offer, jobs, now) => {
    if (jobs.length === 0) return { ids: [], claimed: [] };
    return withFreshNumbers(database.ids, async (requireFresh) => {
      const first = await database.ids.take("job", jobs.length);
      const lease = newToken();
      const rows = jobs.map((job, index): JobToInsert => ({ ...job, id: first + index, createdAt: now }));
      return database.write((session) => {
        requireFresh();
        return insertJobsFor(database, session, rows, { ...offer, lease });
      });
    });
  },
  claim: (request) => claimJobs(database, request),
  canClaim: (request) => canClaimJobs(database, request),
  finish: async (outcomes, now) => {
    if (outcomes.length === 0) return [];
    const first = new Map<string, JobOutcome>();
    for (const outcome of outcomes) if (!first.has(leaseKey(outcome.job))) first.set(leaseKey(outcome.job), outcome);
    const written = await database.write(async (session) => {
      const all = new Set<string>();
      for (const chunk of chunksOf([...first], chunkSize)) {
        for (const key of await endHeld(database, session, new Map(chunk), now)) all.add(key);
      }
      return all;
    });
    const kept: boolean[] = [];
    for (const outcome of outcomes) {
      const key = leaseKey(outcome.job);
      kept.push(first.get(key) === outcome && written.has(key));
    }
    return kept;
  },
  failAfterCommit: (lease, failure, now) =>
    database.write((session) => failAfterCommit(database, session, lease, failure, now)),
  leaseState: async ({ id, lease }) => {
    const [row] = await readRows<{ state: number; lease: number | null; committed_at: number | null }>(
      database,
      "SELECT state, lease, committed_at FROM job WHERE id = ?",
      [id],
    );
    if (row?.lease !== lease) return "lost";
    if (row.state !== jobStates.running) return "spent";
    return row.committed_at === null ? "held" : "committed";
  },
  promoteDue: (now) => promoteDueJobs(database, now),
  nextDueAt: async () => {
    const [row] = await readRows<{ due: number | null }>(
      database,
      `SELECT MIN(due_at) AS due FROM job WHERE state = ${jobStates.scheduled} AND due_at IS NOT NULL`,
    );
    return row?.due ?? undefined;
  },
  repairTurns: (now) => repairTurns(database, now),
});
