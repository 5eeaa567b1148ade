import type { ForwardAttempt, ForwardStore } from "@postern/core/ports";
import { checkLimit, type Database, type InRow, readRows, type Value, withoutNulls } from "../engine/database.ts";
import { storedJson } from "../engine/stored-json.ts";

const columns = ["event_ref", "handler", "attempt", "at", "ms", "status", "headers", "body", "error"];

const rowOf = (attempt: ForwardAttempt): readonly Value[] => [
  attempt.eventId,
  attempt.handler,
  attempt.attempt,
  attempt.at,
  attempt.ms,
  attempt.status ?? null,
  JSON.stringify(attempt.headers),
  attempt.body,
  attempt.error ?? null,
];

export const knexForwardStore = (database: Database): ForwardStore => ({
  keep: async (attempts) => {
    if (attempts.length === 0) return;
    await database.write((session) =>
      database.dialect.insertRows(session, { table: "forward_attempt", columns }, attempts.map(rowOf)),
    );
  },
  list: async (eventId, limit) => {
    checkLimit(limit);
    const newest = await readRows<InRow<Omit<ForwardAttempt, "headers">> & { readonly headers: string }>(
      database,
      `SELECT event_ref AS \`eventId\`, handler, attempt, at, ms, status, headers, body, error
         FROM forward_attempt WHERE event_ref = ? ORDER BY id DESC LIMIT ?`,
      [eventId, limit],
    );
    return newest.map(({ headers, ...row }) => ({
      ...withoutNulls(row),
      headers: storedJson<ForwardAttempt["headers"]>("forward_attempt.headers", headers)?.value ?? {},
    }));
  },
});
