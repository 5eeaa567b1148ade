import type { RateLimitDecision, RateLimitRequest, RateLimitStore } from "@postern/core";
import { gcraGiveBack, gcraOfEach } from "@postern/core/parts";
import type { Database } from "../database.ts";
import { createKeyLines } from "./key-lines.ts";
import { createKnownRefusals } from "./known-refusals.ts";
import { bytesOfEach, changeTats, lockedTats, storedTats } from "./rate-limit-rows.ts";

/** One call in this many also deletes expired keys, so that the table stays small. */
const takesBetweenClearings = 1000;

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
  const { inLine, inLines } = createKeyLines();
  const refusals = createKnownRefusals();
  let takes = 0;

  /** One use of each key, or of none. The caller has the lines of the keys. */
  const takeEach = async (requests: readonly RateLimitRequest[]): Promise<readonly RateLimitDecision[]> => {
    const [first] = requests;
    if (first === undefined) return [];
    const known = refusals.of(first);
    if (known !== undefined) return [known];
    // All callers lock rows in the same order, so that none of them has what another one waits for.
    const keys = bytesOfEach(requests).toSorted((left, right) => Buffer.compare(left, right));
    const seen = await database.read((session) => storedTats(session, keys, ""));
    const look = gcraOfEach(seen, requests);
    const last = look.at(-1);
    const { key, now } = requests[look.length - 1] ?? first;
    if (last?.decision.allowed === false && last.tat === seen.get(key)) {
      refusals.note(key, { tat: last.tat, at: now });
      return look.map(({ decision }) => decision);
    }
    takes += 1;
    return database.write(async (session) => {
      const stored = await lockedTats(dialect, session, keys, seen.size === keys.length);
      const steps = gcraOfEach(new Map([...stored].filter(([, tat]) => tat !== 0)), requests);
      const tats = steps.map(({ tat }) => tat);
      await changeTats(session, bytesOfEach(requests.slice(0, steps.length)), tats, "");
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
      await database.write((session) => changeTats(session, bytesOfEach(requests), values, "tat + "));
      for (const { key } of requests) refusals.forget(key);
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
