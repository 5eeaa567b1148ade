import { afterLoss } from "@postern/core/internal";
import { type GivenUpJob, jobStates, type RecoveryPolicy, type Runners } from "@postern/core/ports";
import { chunksOf, type Database, idsOf, readRows, type Session } from "../engine/database.ts";
import { runnerStates } from "../engine/dialect.ts";
import { changeQuery } from "../engine/query-builder.ts";
import { storedJson } from "../engine/stored-json.ts";
import { newToken } from "../engine/token.ts";
import { type EndingJob, effectiveEndOf, endingColumns, writeEnds } from "./job-ends.ts";

const { live, dead: declaredDead } = runnerStates;

interface RunnerRow {
  readonly id: number;
  readonly name: string;
  readonly beat: number;
  readonly beatAt: number;
  readonly isIdle: number;
  readonly kinds: string | null;
  readonly limits: string | null;
}

type RunnerRecord = Awaited<ReturnType<Runners["live"]>>[number];
type RunnerLimits = RunnerRecord["limits"];

interface LostJob extends Omit<EndingJob, "end"> {
  readonly losses: number;
  readonly suspect: number;
  readonly kind: string;
  readonly event_ref: number | null;
  readonly runner: number | null;
  readonly lease: number | null;
}

/** Raises the beat of a runner. False if it was declared dead. */
export const beat = async (
  session: Session,
  { runnerId, now, isIdle }: { readonly runnerId: number; readonly now: number; readonly isIdle: boolean },
): Promise<boolean> => {
  const { changed } = await session.run(
    `UPDATE runner SET beat = beat + 1, beat_at = ?, idle = ? WHERE id = ? AND state = ${live}`,
    [now, isIdle ? 1 : 0, runnerId],
  );
  return changed > 0;
};

const anyJobOf = (state: number): string => `EXISTS (SELECT 1 FROM job WHERE state = ${state})`;

const liveIn = async (session: Session): Promise<readonly RunnerRecord[]> => {
  const rows = await session.rows<RunnerRow>(
    `SELECT id, name, beat, beat_at AS \`beatAt\`, idle AS \`isIdle\`, kinds, limits FROM runner
      WHERE state = ${live} ORDER BY started_at, id`,
  );
  // A runner whose kinds or limits cannot be read is still watched as all others are.
  return rows.map(({ kinds, limits, isIdle, ...runner }) => ({
    ...runner,
    isIdle: isIdle === 1,
    kinds: (kinds === null ? undefined : storedJson<readonly string[]>("runner.kinds", kinds)?.value) ?? [],
    limits: limits === null ? undefined : storedJson<RunnerLimits>("runner.limits", limits)?.value,
  }));
};

/**
 * The processes that run jobs. A claim checks the row of its runner, so that a runner that was
 * declared dead gets no more jobs.
 */
export const knexRunners = (database: Database): Runners => ({
  register: async ({ name, kinds, limits }, now) => {
    const id = newToken();
    const row = { id, name: name.slice(0, 255), kinds: JSON.stringify(kinds), limits: JSON.stringify(limits) ?? null };
    const made = { ...row, beat: 0, beat_at: now, state: live, started_at: now };
    await changeQuery(database, database.dialect.query("runner").insert(made));
    return id;
  },
  beat: (runnerId, now) => database.write((session) => beat(session, { runnerId, now, isIdle: false })),
  rest: (runnerId, now) =>
    database.write(async (session) => {
      const [found] = await session.rows<{ busy: number; due: number | null; now: number | null }>(
        `SELECT ${anyJobOf(jobStates.ready)} OR ${anyJobOf(jobStates.running)} OR ${anyJobOf(jobStates.blocked)} AS busy,
                (SELECT MIN(due_at) FROM job WHERE state = ${jobStates.scheduled} AND due_at IS NOT NULL) AS due,
                ${database.dialect.serverTime === undefined ? "NULL" : `(${database.dialect.serverTime})`} AS now`,
      );
      const isIdle = found?.busy !== 1;
      if (isIdle && !(await beat(session, { runnerId, now, isIdle }))) return undefined;
      await database.ids.look(session);
      const databaseTime = found?.now == null ? undefined : Number(found.now);
      return { isIdle, live: await liveIn(session), dueAt: found?.due ?? undefined, databaseTime };
    }),
  live: () => database.read(liveIn),
  running: async (runnerId, ids) => {
    if (ids?.length === 0) return [];
    // By primary key alone: the index of running jobs may be full of entries that nobody could clear.
    const where =
      ids === undefined
        ? { sql: `runner = ? AND state = ${jobStates.running}`, values: [runnerId] }
        : database.dialect.anyOf("id", ids);
    const rows = await readRows<{ id: number; lease: number; cancel_at: number | null; runner: number; state: number }>(
      database,
      `SELECT id, lease, cancel_at, runner, state FROM job WHERE ${where.sql}`,
      where.values,
    );
    return rows
      .filter(({ runner, state }) => runner === runnerId && state === jobStates.running)
      .map(({ id, lease, cancel_at: cancelAt }) => ({ id, lease, cancelAt: cancelAt ?? undefined }));
  },
  strayLookMs: database.dialect.strayLookMs,
  heldOrOrphaned: async (runnerId) => {
    const rows = await readRows<{ id: number; lease: number; cancel_at: number | null }>(
      database,
      `SELECT id, lease, cancel_at FROM job WHERE state = ${jobStates.running}
          AND (runner = ? OR NOT EXISTS (SELECT 1 FROM runner AS alive WHERE alive.id = job.runner AND alive.state = ${live}))`,
      [runnerId],
    );
    return rows.map(({ id, lease, cancel_at: cancelAt }) => ({ id, lease, cancelAt: cancelAt ?? undefined }));
  },
  takeBack: (leases, policy) =>
    database.write(async (session) => {
      const all = { recovered: 0, dead: [] as GivenUpJob[] };
      for (const chunk of chunksOf(leases, 1000)) {
        const held = new Set(chunk.map(({ id, lease }) => `${id}/${lease}`));
        const isLost = ({ id, lease }: LostJob) => held.has(`${id}/${lease}`);
        const lost = { ids: idsOf(chunk), stopping: false, isLost };
        const { recovered, dead } = await takeBack(database, session, lost, policy);
        all.recovered += recovered;
        all.dead.push(...dead);
      }
      return all;
    }),
  recover: (runnerId, policy) =>
    database.write(async (session) => {
      const { changed } = await session.run(
        `UPDATE runner SET state = ${declaredDead} WHERE id = ? AND state = ${live}`,
        [runnerId],
      );
      if (changed === 0) return undefined;
      const [runner] = await session.rows<{ stopping: number }>("SELECT stopping FROM runner WHERE id = ?", [runnerId]);
      const stopping = runner?.stopping === 1;
      const found = await session.rows<{ id: number }>(
        `SELECT id FROM job WHERE runner = ? AND state = ${jobStates.running}`,
        [runnerId],
      );
      const all = { recovered: 0, dead: [] as GivenUpJob[] };
      for (const chunk of chunksOf(found, 1000)) {
        const lost = { ids: idsOf(chunk), stopping, isLost: (job: LostJob) => job.runner === runnerId };
        const { recovered, dead } = await takeBack(database, session, lost, policy);
        all.recovered += recovered;
        all.dead.push(...dead);
      }
      return all;
    }),
  stopping: async (runnerId) => {
    await database.write((session) => session.run("UPDATE runner SET stopping = 1 WHERE id = ?", [runnerId]));
  },
  databaseTime: async () => {
    const { serverTime } = database.dialect;
    if (serverTime === undefined) return undefined;
    const [row] = await readRows<{ now: number }>(database, serverTime);
    return row === undefined ? undefined : Number(row.now);
  },
  retire: async (runnerId) => {
    await database.write((session) =>
      session.run(
        `DELETE FROM runner WHERE id = ? AND state = ${live}
            AND NOT EXISTS (SELECT 1 FROM job WHERE job.runner = ? AND job.state = ${jobStates.running})`,
        [runnerId, runnerId],
      ),
    );
  },
});

/** Takes back those of the jobs that are lost, when their rows are locked. */
const takeBack = async (
  database: Database,
  session: Session,
  lost: { readonly ids: readonly number[]; readonly stopping: boolean; isLost(job: LostJob): boolean },
  policy: RecoveryPolicy,
): Promise<{ readonly recovered: number; readonly dead: readonly GivenUpJob[] }> => {
  const { dialect } = database;
  // Lock by primary key, as everywhere. A job that ended meanwhile is not found.
  const where = dialect.anyOf("id", lost.ids);
  const running = await session.rows<LostJob>(
    `SELECT ${endingColumns}, losses, suspect, kind, event_ref, runner, lease FROM job
      WHERE ${where.sql} AND state = ${jobStates.running} ORDER BY id${dialect.forUpdate}`,
    where.values,
  );
  const jobs = running.filter(lost.isLost);
  const ending = jobs.map((job) => {
    const after = afterLoss({ losses: job.losses, suspect: job.suspect === 1 }, lost, policy);
    return { ...job, ...after };
  });
  const alike = new Map(ending.map((job) => [`${job.losses} ${job.suspect}`, job]));
  for (const { losses, suspect } of alike.values()) {
    const same = dialect.anyOf("id", idsOf(ending.filter((job) => job.losses === losses && job.suspect === suspect)));
    // Remove the lease, because its holder has not ended the attempt.
    const sql = `UPDATE job SET losses = ?, suspect = ?, lease = NULL WHERE ${same.sql}`;
    await session.run(sql, [losses, suspect ? 1 : 0, ...same.values]);
  }
  if (ending.length > 0) await writeEnds(database, session, ending, policy.now);
  const ends = ending.map((job) => ({ ...job, to: effectiveEndOf(job).to }));
  return {
    recovered: ends.filter(({ to }) => to === "scheduled").length,
    dead: ends.flatMap(({ id, kind, event_ref: eventId, losses, to }) =>
      to === "dead" ? [{ id, kind, eventId: eventId ?? undefined, losses }] : [],
    ),
  };
};
