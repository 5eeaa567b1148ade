import { type JobEnd, jobStates, type Runners } from "@postern/core";
import { chunksOf, type Database } from "../database.ts";
import { type EndingJob, endingColumns, writeEnds } from "./job-ends.ts";

const live = 0;
const dead = 1;

type LostJob = Omit<EndingJob, "end"> & { readonly losses: number };

const lossText = (losses: number): string =>
  `its runner died ${losses} ${losses === 1 ? "time" : "times"} while it ran`;

/** The processes that run jobs. A claim looks at its runner's row, so that a runner declared dead gets nothing more. */
export const knexRunners = (database: Database): Runners => ({
  register: async (name, now) => {
    const id = await database.ids.take("runner", 1);
    await database.write((session) =>
      session.run("INSERT INTO runner (id, name, beat, beat_at, state, started_at) VALUES (?, ?, 0, ?, ?, ?)", [
        id,
        name.slice(0, 255),
        now,
        live,
        now,
      ]),
    );
    return id;
  },
  beat: (runnerId, now) =>
    database.write(async (session) => {
      const { changed } = await session.run(
        `UPDATE runner SET beat = beat + 1, beat_at = ? WHERE id = ? AND state = ${live}`,
        [now, runnerId],
      );
      return changed > 0;
    }),
  live: () =>
    database.read((session) => session.rows(`SELECT id, name, beat FROM runner WHERE state = ${live} ORDER BY id`)),
  running: async (runnerId) => {
    const rows = await database.read((session) =>
      session.rows<{ id: number; lease: number; cancel_at: number | null }>(
        `SELECT id, lease, cancel_at FROM job WHERE runner = ? AND state = ${jobStates.running}`,
        [runnerId],
      ),
    );
    return rows.map(({ id, lease, cancel_at: cancelAt }) => ({ id, lease, cancelAt: cancelAt ?? undefined }));
  },
  recover: (runnerId, { now, maxLosses, suspectLosses, delayMs }) =>
    database.write(async (session) => {
      const { changed } = await session.run(`UPDATE runner SET state = ${dead} WHERE id = ? AND state = ${live}`, [
        runnerId,
      ]);
      if (changed === 0) return undefined;
      const found = await session.rows<{ id: number }>(
        `SELECT id FROM job WHERE runner = ? AND state = ${jobStates.running}`,
        [runnerId],
      );
      const endOf = (losses: number): JobEnd =>
        losses >= maxLosses
          ? { to: "dead", error: lossText(losses) }
          : { to: "scheduled", at: now + delayMs(losses), error: lossText(losses) };
      const totals = { recovered: 0, dead: 0 };
      for (const chunk of chunksOf(found, 1000)) {
        // Locked by primary key, like everywhere; one that ended meanwhile is no longer there.
        const ours = database.dialect.anyOf(
          "id",
          chunk.map(({ id }) => id),
        );
        const lost = await session.rows<LostJob>(
          `SELECT ${endingColumns}, losses FROM job WHERE ${ours.sql} AND runner = ? AND state = ${jobStates.running}
            ORDER BY id${database.dialect.forUpdate}`,
          [...ours.values, runnerId],
        );
        if (lost.length === 0) continue;
        const ending = lost.map(({ losses, ...job }) => ({ ...job, end: endOf(losses + 1) }));
        const counted = database.dialect.anyOf(
          "id",
          lost.map(({ id }) => id),
        );
        // Without the lease: whoever held it has not ended the attempt. `suspect` comes first, since MySQL sees new values in what follows.
        await session.run(
          `UPDATE job SET suspect = CASE WHEN losses + 1 >= ? THEN 1 ELSE 0 END, losses = losses + 1, lease = NULL
            WHERE ${counted.sql}`,
          [suspectLosses, ...counted.values],
        );
        await writeEnds(database, session, ending, now);
        totals.dead += ending.filter(({ end }) => end.to === "dead").length;
        totals.recovered += ending.filter(({ end, cancel_at: asked }) => end.to !== "dead" && asked === null).length;
      }
      return totals;
    }),
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
