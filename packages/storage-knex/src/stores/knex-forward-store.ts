import type { ForwardAttempt, ForwardStore } from "@postern/core/parts";
import { checkLimit, type Database, type Value } from "../database.ts";
import { readQuery } from "../query-builder.ts";

interface ForwardRow {
  readonly event_ref: number;
  readonly handler: string;
  readonly attempt: number;
  readonly at: number;
  readonly ms: number;
  readonly status: number | null;
  readonly headers: string;
  readonly body: string;
  readonly error: string | null;
}

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

const attemptOf = (row: ForwardRow): ForwardAttempt => ({
  eventId: row.event_ref,
  handler: row.handler,
  attempt: row.attempt,
  at: row.at,
  ms: row.ms,
  status: row.status ?? undefined,
  headers: JSON.parse(row.headers),
  body: row.body,
  error: row.error ?? undefined,
});

export const knexForwardStore = (database: Database): ForwardStore => {
  const { dialect } = database;
  return {
    keep: async (attempts) => {
      if (attempts.length === 0) return;
      await database.write((session) =>
        dialect.insertRows(session, { table: "forward_attempt", columns }, attempts.map(rowOf)),
      );
    },
    list: async (eventId, limit) => {
      checkLimit(limit);
      const newest = dialect
        .query("forward_attempt")
        .select(columns)
        .where("event_ref", eventId)
        .orderBy("id", "desc")
        .limit(limit);
      return (await readQuery<ForwardRow>(database, newest)).map(attemptOf);
    },
  };
};
