import type { RateLimitDecision, RateLimitRequest, RateLimitStore } from "@postern/core";
import { createSerialByKey, gcra, gcraGiveBack } from "@postern/core/parts";
import { bufferOf, type Database, type Session } from "../database.ts";

const encoder = new TextEncoder();
/** One call in this many also deletes expired keys, so that the table stays small. */
const takesBetweenClearings = 1000;
/** How long a refusal is known without a look at the database. No caller is told to wait less. */
const refusalMs = 1000;
/** So many keys are known to be refused; of more, the first one is looked up again. */
const mostRefusals = 10_000;

/** What a key's row said at a moment (milliseconds since the epoch). */
interface Refusal {
  readonly tat: number;
  readonly at: number;
}

/** The uses of one key that wait for each other. */
interface Line {
  uses: number;
  /** The last failure, and the last use that had come by then. */
  failure?: { readonly cause: unknown; readonly arrival: number };
}

/**
 * Rate limits that every process on the database shares. `take` locks the key's row before it reads
 * it, so that two racing callers come one after the other. A refused use writes nothing, and in a
 * flood a key is read once a second: until then, a use that another process gives back is not seen.
 * Uses of one key in one process also come one after the other before they take a connection.
 * Otherwise the callers of one key would hold all connections of the pool while they wait for its
 * row.
 */
export const knexRateLimitStore = (database: Database): RateLimitStore => {
  const { dialect } = database;
  const insert = dialect.insertUnlessTaken("rate_limit", ["limit_key", "tat"], "limit_key");
  const serially = createSerialByKey();
  const lines = new Map<string, Line>();
  let arrivals = 0;
  const refusals = new Map<string, Refusal>();
  let takes = 0;

  /**
   * Runs work on a key after all earlier work on it. If work fails, that which waits behind it fails
   * in the same way: each try could take seconds, one after the other, while the database is away.
   */
  const inLine = async <Result>(key: string, work: () => Promise<Result>): Promise<Result> => {
    const line = lines.get(key) ?? { uses: 0 };
    lines.set(key, line);
    line.uses += 1;
    arrivals += 1;
    const arrival = arrivals;
    try {
      return await serially(key, async () => {
        if (line.failure !== undefined && arrival <= line.failure.arrival) throw line.failure.cause;
        return work().catch((cause: unknown) => {
          line.failure = { cause, arrival: arrivals };
          throw cause;
        });
      });
    } finally {
      line.uses -= 1;
      if (line.uses === 0) lines.delete(key);
    }
  };

  const noteRefusal = (key: string, refusal: Refusal): void => {
    const [first] = refusals.keys();
    if (first !== undefined && refusals.size >= mostRefusals) refusals.delete(first);
    refusals.set(key, refusal);
  };

  /** The refusal of a key that the database need not be asked about. */
  const knownRefusal = (request: RateLimitRequest): RateLimitDecision | undefined => {
    const known = refusals.get(request.key);
    if (known === undefined) return undefined;
    const age = request.now - known.at;
    const { decision, tat } = gcra(known.tat, request);
    if (age >= 0 && age < refusalMs && !decision.allowed && tat === known.tat) return decision;
    refusals.delete(request.key);
    return undefined;
  };

  const storedTat = async (session: Session, key: Uint8Array, lock: string): Promise<number | undefined> => {
    const [row] = await session.rows<{ tat: number }>(`SELECT tat FROM rate_limit WHERE limit_key = ?${lock}`, [key]);
    return row?.tat;
  };

  /** The state of a key, whose row stays locked until the end of the transaction. */
  const lockedTat = async (session: Session, key: Uint8Array, exists: boolean): Promise<number> => {
    const found = exists ? await storedTat(session, key, dialect.forUpdate) : undefined;
    if (found !== undefined) return found;
    // Makes sure that there is a row to lock.
    await session.run(insert, [key, 0]);
    return (await storedTat(session, key, dialect.forUpdate)) ?? 0;
  };

  // Keys are bytes on every database, so that no collation treats two of them as equal.
  const bytesOf = (key: string): Uint8Array => bufferOf(encoder.encode(key));

  const take = async (request: RateLimitRequest): Promise<RateLimitDecision> => {
    const known = knownRefusal(request);
    if (known !== undefined) return known;
    const key = bytesOf(request.key);
    const seen = await database.read((session) => storedTat(session, key, ""));
    const look = gcra(seen, request);
    if (!look.decision.allowed && look.tat === seen) {
      noteRefusal(request.key, { tat: look.tat, at: request.now });
      return look.decision;
    }
    takes += 1;
    return database.write(async (session) => {
      const before = await lockedTat(session, key, seen !== undefined);
      const { decision, tat } = gcra(before === 0 ? undefined : before, request);
      await session.run("UPDATE rate_limit SET tat = ? WHERE limit_key = ?", [tat, key]);
      if (takes % takesBetweenClearings === 0) {
        await session.run("DELETE FROM rate_limit WHERE tat < ?", [(request.now - request.windowMs) * 1000]);
      }
      return decision;
    });
  };

  return {
    take: (request) => inLine(request.key, () => take(request)),
    giveBack: async (request) => {
      // Subtract the difference, so that no change in between is lost.
      const values = [-gcraGiveBack(0, request), bytesOf(request.key)];
      const subtract = "UPDATE rate_limit SET tat = tat - ? WHERE limit_key = ?";
      await inLine(request.key, async () => {
        await database.write((session) => session.run(subtract, values));
        refusals.delete(request.key);
      });
    },
    forgetFree: async (now) => {
      const { changed } = await database.write((session) =>
        session.run("DELETE FROM rate_limit WHERE tat < ?", [now * 1000]),
      );
      return changed;
    },
  };
};
