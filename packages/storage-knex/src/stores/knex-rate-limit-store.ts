import type { RateLimitStore } from "@postern/core";
import { gcra, gcraGiveBack } from "@postern/core/parts";
import { bufferOf, type Database, type Session } from "../database.ts";

const encoder = new TextEncoder();
/** One call in this many also deletes expired keys, so that the table stays small. */
const takesBetweenClearings = 1000;

/**
 * Rate limits that every process on the database shares. `take` locks the key's row before it reads
 * it, so that two racing callers come one after the other. A refused use writes nothing, so in a
 * flood each costs one read.
 */
export const knexRateLimitStore = (database: Database): RateLimitStore => {
  const { dialect } = database;
  const insert = dialect.insertUnlessTaken("rate_limit", ["limit_key", "tat"], "limit_key");
  let takes = 0;

  const storedTat = async (session: Session, key: Uint8Array, lock: string): Promise<number | undefined> => {
    const [row] = await session.rows<{ tat: number }>(`SELECT tat FROM rate_limit WHERE limit_key = ?${lock}`, [key]);
    return row?.tat;
  };

  return {
    take: async (request) => {
      // Keys are bytes on every database, so that no collation treats two of them as equal.
      const key = bufferOf(encoder.encode(request.key));
      const seen = await database.read((session) => storedTat(session, key, ""));
      const look = gcra(seen, request);
      if (!look.decision.allowed && look.tat === seen) return look.decision;
      takes += 1;
      return database.write(async (session) => {
        // Makes sure that there is a row to lock.
        await session.run(insert, [key, 0]);
        const before = await storedTat(session, key, dialect.forUpdate);
        const { decision, tat } = gcra(before === 0 ? undefined : before, request);
        await session.run("UPDATE rate_limit SET tat = ? WHERE limit_key = ?", [tat, key]);
        if (takes % takesBetweenClearings === 0) {
          await session.run("DELETE FROM rate_limit WHERE tat < ?", [(request.now - request.windowMs) * 1000]);
        }
        return decision;
      });
    },
    giveBack: async (request) => {
      const key = bufferOf(encoder.encode(request.key));
      // Subtract the difference, so that no change in between is lost.
      const difference = -gcraGiveBack(0, request);
      await database.write((session) =>
        session.run("UPDATE rate_limit SET tat = tat - ? WHERE limit_key = ?", [difference, key]),
      );
    },
    forgetFree: async (now) => {
      const { changed } = await database.write((session) =>
        session.run("DELETE FROM rate_limit WHERE tat < ?", [now * 1000]),
      );
      return changed;
    },
  };
};
