import { gcra, gcraGiveBack, gcraOfEach } from "@postern/core/internal";
import type { RateLimitDecision, RateLimitRequest, RateLimitStore } from "@postern/core/ports";
import { type Database, keyBytes, keyText, placeholders, type Session } from "../engine/database.ts";
import type { Dialect } from "../engine/dialect.ts";
import { createKeyGroups } from "./key-groups.ts";

/** How long a refusal is known without a look at the database. No caller is told to wait less. */
const refusalMs = 1000;
/** So many keys are known to be refused; of more, the first one is looked up again. */
const mostRefusals = 10_000;

/** What a key's row said at a moment (milliseconds since the epoch). */
interface Refusal {
  readonly tat: number;
  readonly at: number;
}

/** Remembers for a moment which keys are refused, so that a flood does not read the database. */
class KnownRefusals extends Map<string, Refusal> {
  note(key: string, refusal: Refusal): void {
    const [first] = this.keys();
    if (first !== undefined && this.size >= mostRefusals) this.delete(first);
    this.set(key, refusal);
  }

  /** The refusal of a request about which the database need not be asked. */
  of(request: RateLimitRequest): RateLimitDecision | undefined {
    const known = this.get(request.key);
    if (known === undefined) return undefined;
    const age = request.now - known.at;
    const { decision, tat } = gcra(known.tat, request);
    if (age >= 0 && age < refusalMs && !decision.allowed && tat === known.tat) return decision;
    this.delete(request.key);
    return undefined;
  }
}

/** The states of keys, as `gcra` takes them. */
type Tats = ReadonlyMap<string, number>;

/** The states of the keys that have a row. */
const storedTats = async (session: Session, keys: readonly Uint8Array[], lock: string): Promise<Tats> => {
  const sql = `SELECT limit_key, tat FROM rate_limit WHERE limit_key IN ${placeholders(1, keys.length)}${lock}`;
  const rows = await session.rows<{ limit_key: Uint8Array | string; tat: number }>(sql, keys);
  return new Map(rows.map(({ limit_key: key, tat }) => [keyText(key), tat]));
};

/**
 * The states of the keys, whose rows stay locked until the end of the transaction. `exist` says that
 * all of them have a row.
 */
const lockedTats = async (
  { forUpdate, insertUnlessTaken }: Dialect,
  session: Session,
  keys: readonly Uint8Array[],
  exist: boolean,
): Promise<Tats> => {
  const found = exist ? await storedTats(session, keys, forUpdate) : undefined;
  if (found?.size === keys.length) return found;
  // Makes sure that there are rows to lock.
  const insert = insertUnlessTaken("rate_limit", ["limit_key", "tat"], "limit_key", keys.length);
  const rows = keys.flatMap((key) => [key, 0]);
  await session.run(insert, rows);
  return storedTats(session, keys, forUpdate);
};

/** Sets the state of each key to its value, or adds the value to it. */
const changeTats = async (session: Session, values: Tats, by: "" | "tat + "): Promise<void> => {
  const keys = [...values.keys()].map(keyBytes);
  const cases = [...values.values()].flatMap((value, index) => [keys[index] ?? "", value]);
  const sql = `UPDATE rate_limit SET tat = ${by}CASE limit_key ${"WHEN ? THEN ? ".repeat(keys.length)}END WHERE limit_key IN ${placeholders(1, keys.length)}`;
  await session.run(sql, [...cases, ...keys]);
};

/**
 * The bounds of a transaction that takes uses. A request names up to five keys, and the statement
 * that changes them compares each with each.
 */
const together = { items: 16, groups: 3 };

/** Uses that one caller takes or gives back, all of them or none. */
interface Uses {
  readonly requests: readonly RateLimitRequest[];
  readonly keys: readonly string[];
}

type Decisions = readonly RateLimitDecision[];

/**
 * Rate limits that every process on the database shares. A transaction locks the rows of its keys
 * before it reads them, so that two racing callers come one after the other. Callers that arrive
 * together share a transaction, in which they take their uses one after the other. A refused use
 * writes nothing. In a flood a key is read once a second: until then, a use that another process
 * gives back is not seen. If `takeEach` names several keys, only a refusal of its first key spares
 * the read.
 */
export const knexRateLimitStore = (database: Database): RateLimitStore => {
  const { dialect } = database;
  const refusals = new KnownRefusals();

  /** The decisions of uses that the stored states refuse; `undefined` for uses to be taken. */
  const refused = (seen: Tats, { requests }: Uses): Decisions | undefined => {
    const steps = gcraOfEach(seen, requests);
    const last = steps.at(-1);
    const { key = "", now = 0 } = requests[steps.length - 1] ?? {};
    if (last === undefined || last.decision.allowed || last.tat !== seen.get(key)) return undefined;
    refusals.note(key, { tat: last.tat, at: now });
    return steps.map(({ decision }) => decision);
  };

  /** Takes the uses of each caller in turn, in one transaction. */
  const take = (callers: readonly Uses[], seen: Tats): Promise<readonly Decisions[]> =>
    database.write(async (session) => {
      const keys = sortedKeys(callers);
      const exist = callers.every((uses) => uses.keys.every((key) => seen.has(key)));
      const stored = await lockedTats(dialect, session, keys, exist);
      const tats = new Map([...stored].filter(([, tat]) => tat !== 0));
      const changed = new Map<string, number>();
      const decisions = callers.map(({ requests }) => {
        const steps = gcraOfEach(tats, requests);
        for (const [index, { tat }] of steps.entries()) {
          const { key = "" } = requests[index] ?? {};
          tats.set(key, tat);
          changed.set(key, tat);
        }
        return steps.map(({ decision }) => decision);
      });
      await changeTats(session, changed, "");
      return decisions;
    });

  const takeTogether = createKeyGroups<Uses, Decisions>(async (callers) => {
    const decided = new Map<Uses, Decisions | undefined>(callers.map((uses) => [uses, knownRefusal(uses)]));
    const undecided = callers.filter((uses) => decided.get(uses) === undefined);
    if (undecided.length > 0) {
      const seen = await database.read((session) => storedTats(session, sortedKeys(undecided), ""));
      for (const uses of undecided) decided.set(uses, refused(seen, uses));
      const taking = undecided.filter((uses) => decided.get(uses) === undefined);
      const taken = taking.length === 0 ? [] : await take(taking, seen);
      for (const [index, uses] of taking.entries()) decided.set(uses, taken[index]);
    }
    return callers.map((uses) => decided.get(uses) ?? []);
  }, together);

  /** Apart from what is taken: if taking fails, nobody may be told that giving back has failed. */
  const giveBackTogether = createKeyGroups<Uses, undefined>(async (callers) => {
    // Subtract the difference, so that no change in between is lost.
    const differences = new Map<string, number>();
    for (const request of callers.flatMap(({ requests }) => requests)) {
      differences.set(request.key, gcraGiveBack(differences.get(request.key) ?? 0, request));
    }
    await database.write((session) => changeTats(session, differences, "tat + "));
    for (const key of differences.keys()) refusals.delete(key);
    return callers.map(() => undefined);
  }, together);

  const knownRefusal = ({ requests: [first] }: Pick<Uses, "requests">): Decisions | undefined => {
    const known = first === undefined ? undefined : refusals.of(first);
    return known === undefined ? undefined : [known];
  };

  const takeEach = async (requests: readonly RateLimitRequest[]): Promise<Decisions> => {
    // A limit that cannot be kept fails here, and not in a transaction of several callers.
    gcraOfEach(new Map(), requests);
    if (requests.length === 0) return [];
    return knownRefusal({ requests }) ?? takeTogether({ requests, keys: keysOf(requests) });
  };

  const giveBackEach = async (requests: readonly RateLimitRequest[]): Promise<void> => {
    for (const request of requests) gcraGiveBack(0, request);
    if (requests.length > 0) await giveBackTogether({ requests, keys: keysOf(requests) });
  };

  return {
    take: async (request) => {
      const [decision] = await takeEach([request]);
      if (decision === undefined) throw new Error("a request without a decision");
      return decision;
    },
    takeEach,
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

const keysOf = (requests: readonly RateLimitRequest[]): readonly string[] => requests.map(({ key }) => key);

/** All callers lock rows in the same order, so that none of them has what another one waits for. */
const sortedKeys = (callers: readonly Uses[]): readonly Uint8Array[] =>
  [...new Set(callers.flatMap(({ keys }) => keys))]
    .map(keyBytes)
    .toSorted((left, right) => Buffer.compare(left, right));
