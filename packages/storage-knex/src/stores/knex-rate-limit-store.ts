import type { RateLimitDecision, RateLimitRequest, RateLimitStore } from "@postern/core";
import { createSerialByKey, gcra, gcraGiveBack, gcraOfEach } from "@postern/core/parts";
import { bufferOf, type Database, keyText, type Session } from "../database.ts";

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

/** The states of keys, as `gcra` takes them. */
type Tats = ReadonlyMap<string, number>;

/** So many `?` in a row. */
const marks = (count: number): string => Array(count).fill("?").join(", ");

/** The uses of one key that wait for each other. */
interface Line {
  uses: number;
  /** The last failure, and the last use that had come by then. */
  failure?: { readonly cause: unknown; readonly arrival: number };
}

/**
 * Rate limits that every process on the database shares. `take` locks the key's row before it reads
 * it, so that two racing callers come one after the other. `takeEach` does so in one transaction
 * for all of its keys. A refused use writes nothing. In a flood a key is read once a second: until
 * then, a use that another process gives back is not seen. If `takeEach` names several keys, only a
 * refusal of its first key spares the read.
 * Uses of one key in one process also come one after the other before they take a connection.
 * Otherwise the callers of one key would hold all connections of the pool while they wait for its
 * row.
 */
export const knexRateLimitStore = (database: Database): RateLimitStore => {
  const { dialect } = database;
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

  /**
   * Runs work on several keys after all earlier work on each. Everybody joins the lines in the same
   * order, so that no two of them wait for each other.
   */
  const inLines = <Result>(requests: readonly RateLimitRequest[], work: () => Promise<Result>): Promise<Result> => {
    const keys = [...new Set(requests.map(({ key }) => key))].toSorted();
    return keys.reduceRight((next, key) => () => inLine(key, next), work)();
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

  // Keys are bytes on every database, so that no collation treats two of them as equal.
  const bytesOf = (key: string): Uint8Array => bufferOf(encoder.encode(key));
  const bytesOfEach = (requests: readonly RateLimitRequest[]): Uint8Array[] => requests.map(({ key }) => bytesOf(key));

  /** The states of the keys that have a row. */
  const storedTats = async (session: Session, keys: readonly Uint8Array[], lock: string): Promise<Tats> => {
    const sql = `SELECT limit_key, tat FROM rate_limit WHERE limit_key IN (${marks(keys.length)})${lock}`;
    const rows = await session.rows<{ limit_key: Uint8Array | string; tat: number }>(sql, keys);
    return new Map(rows.map(({ limit_key: key, tat }) => [keyText(key), tat]));
  };

  /** The states of the keys, whose rows stay locked until the end of the transaction. */
  const lockedTats = async (session: Session, keys: readonly Uint8Array[], exist: boolean): Promise<Tats> => {
    const found = exist ? await storedTats(session, keys, dialect.forUpdate) : undefined;
    if (found?.size === keys.length) return found;
    // Makes sure that there are rows to lock.
    const insert = dialect.insertUnlessTaken("rate_limit", ["limit_key", "tat"], "limit_key", keys.length);
    await session.run(
      insert,
      keys.flatMap((key) => [key, 0]),
    );
    return storedTats(session, keys, dialect.forUpdate);
  };

  /** Sets the state of each key, or adds to it. */
  const change = async (
    session: Session,
    keys: readonly Uint8Array[],
    values: readonly number[],
    by: "" | "tat + ",
  ) => {
    const cases = keys.flatMap((key, index) => [key, values[index] ?? 0]);
    const sql = `UPDATE rate_limit SET tat = ${by}CASE limit_key ${"WHEN ? THEN ? ".repeat(keys.length)}END WHERE limit_key IN (${marks(keys.length)})`;
    await session.run(sql, [...cases, ...keys]);
  };

  /** One use of each key, or of none. The caller has the lines of the keys. */
  const takeEach = async (requests: readonly RateLimitRequest[]): Promise<readonly RateLimitDecision[]> => {
    const [first] = requests;
    if (first === undefined) return [];
    const known = knownRefusal(first);
    if (known !== undefined) return [known];
    // All callers lock rows in the same order, so that none of them has what another one waits for.
    const keys = bytesOfEach(requests).toSorted((left, right) => Buffer.compare(left, right));
    const seen = await database.read((session) => storedTats(session, keys, ""));
    const look = gcraOfEach(seen, requests);
    const last = look.at(-1);
    const { key, now } = requests[look.length - 1] ?? first;
    if (last?.decision.allowed === false && last.tat === seen.get(key)) {
      noteRefusal(key, { tat: last.tat, at: now });
      return look.map(({ decision }) => decision);
    }
    takes += 1;
    return database.write(async (session) => {
      const stored = await lockedTats(session, keys, seen.size === keys.length);
      const steps = gcraOfEach(new Map([...stored].filter(([, tat]) => tat !== 0)), requests);
      const tats = steps.map(({ tat }) => tat);
      await change(session, bytesOfEach(requests.slice(0, steps.length)), tats, "");
      if (takes % takesBetweenClearings === 0) {
        await session.run("DELETE FROM rate_limit WHERE tat < ?", [(first.now - first.windowMs) * 1000]);
      }
      return steps.map(({ decision }) => decision);
    });
  };

  const giveBackEach = async (requests: readonly RateLimitRequest[]): Promise<void> => {
    // Subtract the difference, so that no change in between is lost.
    const values = requests.map((request) => gcraGiveBack(0, request));
    if (requests.length === 0) return;
    await inLines(requests, async () => {
      await database.write((session) => change(session, bytesOfEach(requests), values, "tat + "));
      for (const { key } of requests) refusals.delete(key);
    });
  };

  return {
    take: async (request) => {
      const [decision] = await inLine(request.key, () => takeEach([request]));
      if (decision === undefined) throw new Error("a request without a decision");
      return decision;
    },
    takeEach: (requests) => inLines(requests, () => takeEach(requests)),
    giveBack: (request) => giveBackEach([request]),
    giveBackEach,
    forgetFree: async (now) => {
      const { changed } = await database.write((session) =>
        session.run("DELETE FROM rate_limit WHERE tat < ?", [now * 1000]),
      );
      return changed;
    },
  };
};
