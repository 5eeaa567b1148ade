import { type ClaimedJob, jobStates, type RunnerOffer } from "@postern/core/parts";
import type { Database, Session } from "../database.ts";
import { runnerStates } from "../dialect.ts";
import { insertJobs, type JobToInsert } from "./job-rows.ts";

/** Free slots of a runner, and the number that a claim of them gets. */
export interface Offer extends RunnerOffer {
  readonly lease: number;
}

/**
 * Whether new jobs of a queue may go to a runner before anybody else sees them. The runner's row is
 * locked, so that it does not change before the runner has them.
 */
const mayHandOut = async (
  { dialect }: Database,
  session: Session,
  { runnerId, queue, kinds }: Offer,
): Promise<boolean> => {
  const ofKind = kinds === undefined ? { sql: "1 = 1", values: [] } : dialect.anyTextOf("kind", kinds);
  // Use one statement, because each costs more than its search. Only the runner's row is locked.
  const [found] = await session.rows<{ state: number | null; hindered: number }>(
    `SELECT runner.state AS state,
        CASE WHEN EXISTS (SELECT 1 FROM paused_queue WHERE queue = ?)
          OR EXISTS (SELECT 1 FROM job
            WHERE state = ${jobStates.ready} AND queue = ? AND suspect = 0 AND ${ofKind.sql})
        THEN 1 ELSE 0 END AS hindered
      FROM (SELECT 1 AS one) AS asked
      LEFT JOIN (SELECT state FROM runner WHERE id = ?${dialect.forShare}) AS runner ON 1 = 1`,
    [queue, queue, ...ofKind.values, runnerId],
  );
  return found?.state !== runnerStates.dead && found?.hindered === 0;
};

/**
 * Stores jobs, and hands the best of them to the offer's runner if that is allowed. Returns the id
 * of each, as `insertJobs` does, and the claims.
 */
export const insertJobsFor = async (
  database: Database,
  session: Session,
  jobs: readonly JobToInsert[],
  offer: Offer,
): Promise<{ readonly ids: readonly number[]; readonly claimed: readonly ClaimedJob[] }> => {
  const { runnerId, queue, limit, lease } = offer;
  // The statement that stores a job can also hand it out, unless something else decides when it runs.
  const plain: JobToInsert[] = [];
  for (const job of jobs) {
    const isPlain = job.dueAt === undefined && job.orderKey === undefined && job.unique === undefined;
    if (isPlain && (job.queue ?? "default") === queue) plain.push(job);
  }
  const best = plain
    .sort((one, other) => (one.priority ?? 0) - (other.priority ?? 0) || one.id - other.id)
    .slice(0, limit);
  if (best.length === 0 || !(await mayHandOut(database, session, offer))) {
    return { ids: await insertJobs(database, session, jobs), claimed: [] };
  }
  const taken = new Set(best);
  const claim = { runnerId, lease };
  const rows: JobToInsert[] = [];
  // Do not spread and then extend: V8 takes many times as long for that.
  for (const job of jobs) rows.push(taken.has(job) ? Object.assign({ claim }, job) : job);
  const ids = await insertJobs(database, session, rows);
  const claimed: ClaimedJob[] = [];
  for (const { id, kind, maxAttempts, eventId, payload, createdAt } of best) {
    claimed.push({
      id,
      lease,
      kind,
      queue,
      attempt: 1,
      maxAttempts,
      losses: 0,
      eventId,
      isOrdered: false,
      payload: payload === undefined ? undefined : JSON.parse(JSON.stringify(payload)),
      createdAt,
    });
  }
  return { ids, claimed };
};
