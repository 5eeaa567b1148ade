import type { EventState, EventSummary, StoredEvent } from "@postern/core/ports";
import { type Database, idsOf, keyText, type Session } from "../engine/database.ts";
import { storedJson, unreadable } from "../engine/stored-json.ts";
import { dispositionName, dispositions, isKnownDisposition, statesOf } from "./event-state.ts";

export interface SummaryRow {
  readonly id: number;
  readonly provider: string;
  readonly event_id: string | null;
  readonly type: string | null;
  readonly reason: string | null;
  readonly occurred_at: number | null;
  readonly received_at: number;
  readonly repeats: number;
  readonly disposition: number;
  readonly body_dropped: number;
}

export interface StoredRow extends SummaryRow {
  /** Bytes on MySQL, so that no collation applies to it. */
  readonly dedupe_key: string | Uint8Array;
  readonly headers: string;
  /** JSON of query, what was left out, and what is covered; NULL for nearly every event. */
  readonly outside: string | null;
  readonly overruled: string | null;
  readonly body: Uint8Array;
}

export const summaryColumns = [
  "id",
  "provider",
  "event_id",
  "type",
  "reason",
  "occurred_at",
  "received_at",
  "repeats",
  "disposition",
  "body_dropped",
];
export const storedColumns = [...summaryColumns, "dedupe_key", "headers", "outside", "overruled", "body"];

export const toSummary = (row: SummaryRow, state: EventState): EventSummary => ({
  id: row.id,
  provider: row.provider,
  eventId: row.event_id ?? undefined,
  type: row.type ?? undefined,
  state,
  reason: isKnownDisposition(row.disposition)
    ? (row.reason ?? undefined)
    : unreadable("inbox_event.disposition", row.id),
  occurredAt: row.occurred_at ?? undefined,
  receivedAt: row.received_at,
  repeats: row.repeats,
  bodyKept: row.body_dropped === 0,
});

/** What a sender said outside of body and headers. */
type Outside = Pick<StoredEvent, "query" | "leftOut" | "covered">;

export const toStored = (row: StoredRow, state: EventState): StoredEvent => {
  const headers = storedJson<StoredEvent["headers"]>("inbox_event.headers", row.headers);
  const outside = storedJson<Outside>("inbox_event.outside", row.outside ?? "{}");
  const wrong =
    headers === undefined ? "inbox_event.headers" : outside === undefined ? "inbox_event.outside" : undefined;
  return {
    ...toSummary(row, state),
    dedupeKey: keyText(row.dedupe_key),
    disposition: dispositionName(row.disposition),
    headers: headers?.value ?? {},
    query: outside?.value.query,
    leftOut: outside?.value.leftOut,
    covered: outside?.value.covered,
    overruled: row.overruled ?? undefined,
    ...(wrong === undefined ? {} : { unreadable: unreadable(wrong, row.id) }),
    body: row.body_dropped === 0 ? row.body : undefined,
  };
};

/** Makes events from their rows, each with the state that follows from its jobs. */
export const withStates = async <Row extends SummaryRow, Result>(
  database: Database,
  session: Session,
  rows: readonly Row[],
  make: (row: Row, state: EventState) => Result,
): Promise<Result[]> => {
  const accepted = rows.filter(({ disposition }) => disposition === dispositions.accepted);
  const states = await statesOf(database, session, idsOf(accepted));
  return rows.map((row) => {
    const disposition = dispositionName(row.disposition);
    return make(row, disposition === "accepted" ? (states.get(row.id) ?? "processed") : disposition);
  });
};
