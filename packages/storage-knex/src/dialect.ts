import type { TextOperator } from "@postern/core";
import type { QueryBuilder } from "./query-builder.ts";
import type { IdSequence, Session, Sessions, Statement, Value } from "./session.ts";

export interface ClaimedRow {
  readonly id: number;
  readonly event_ref: number | null;
  readonly kind: string;
  readonly attempt: number;
  readonly max_attempts: number;
  readonly losses: number;
  readonly priority: number;
  readonly payload: string | null;
  readonly created_at: number;
}

export interface Claim {
  readonly queue: string;
  readonly limit: number;
  readonly runnerId: number;
  readonly now: number;
  /** Suspects only, or none of them. */
  readonly suspects: boolean;
  /** Only jobs of this priority. */
  readonly priority: number | undefined;
  /** The most of the queue's jobs that may run at once, whoever runs them. */
  readonly globalLimit: number | undefined;
  /** Takes a number for the claim; called only when there is something to claim. */
  readonly lease: () => Promise<number>;
}

/** Which jobs a claim may take. States stand in the text, so that SQLite can use its partial index. */
export const readyIn = ({ suspects, priority }: Pick<Claim, "suspects" | "priority">): string =>
  `state = 0 AND queue = ? AND suspect = ${suspects ? 1 : 0}${priority === undefined ? "" : " AND priority = ?"}
   AND NOT EXISTS (SELECT 1 FROM paused_queue WHERE queue = ?)`;

export const readyValues = ({ queue, priority }: Pick<Claim, "queue" | "priority">): readonly Value[] =>
  priority === undefined ? [queue, queue] : [queue, priority, queue];

/** How many jobs of a queue run now, as a query of one number: `running`. */
export const countRunning = "SELECT COUNT(*) AS running FROM job WHERE state = 2 AND queue = ?";

/** How many jobs a claim may take of a queue in which so many run. */
export const roomOf = ({ limit, globalLimit }: Pick<Claim, "limit" | "globalLimit">, running: number): number =>
  Math.max(0, Math.min(limit, (globalLimit ?? Number.POSITIVE_INFINITY) - running));

export type InsertRow = readonly Value[];

/** An event to store. */
export interface EventRow {
  readonly id: number;
  /** Provider and dedupe key. */
  readonly key: readonly [string, string];
  readonly repeats: number;
  readonly body: Uint8Array;
  /** All columns but the body. */
  readonly values: InsertRow;
}

export interface AcceptedRow {
  readonly id: number;
  readonly provider: string;
  readonly dedupe_key: string;
  readonly body_sha256: string;
}

/** The few statements that SQLite and MySQL/MariaDB spell differently, or should do in different ways. */
export interface Dialect {
  readonly name: "sqlite" | "mysql";
  /** Makes statements for this kind of server. */
  readonly query: QueryBuilder;
  /** How many batches of events it pays to write at once. */
  readonly concurrentAccepts: number;
  /** Put behind a SELECT whose rows must stay as they are until the transaction ends. */
  readonly forUpdate: string;
  /** Put behind a SELECT whose rows others may read, but not change, until the transaction ends. */
  readonly forShare: string;
  /** Inserts rows that hold no bytes, in as few statements as there can be. */
  insertRows(session: Session, table: string, columns: readonly string[], rows: readonly InsertRow[]): Promise<void>;
  /** `column` is one of these numbers. */
  anyOf(column: string, ids: readonly number[]): Statement;
  /** `column` is one of these texts, of which there may be thousands. */
  anyTextOf(column: string, texts: readonly string[]): Statement;
  /** Whether a text column holds a piece of text, A to Z being the same as a to z and nothing else the same as anything. */
  findsText(column: string, op: TextOperator, piece: string): Statement;
  /** Reserves `count` numbers of a sequence; the first of them. */
  reserve(session: Session, sequence: IdSequence, count: number): Promise<number>;
  /** An INSERT of `rows` rows (1 unless told) that leaves those whose `key` is taken as they are. */
  insertUnlessTaken(table: string, columns: readonly string[], key: string, rows?: number): string;
  /**
   * Inserts events, no two of one key; where the key is taken, counts the repeats there instead. Answers who holds the key of each that was not
   * inserted, and may answer the inserted ones, too. `columns` are those of the events' values.
   */
  insertEvents(
    session: Session,
    columns: readonly string[],
    events: readonly EventRow[],
  ): Promise<readonly AcceptedRow[]>;
  /** The rows that hold these keys (provider and dedupe key). */
  holdersOf(session: Session, keys: readonly (readonly [string, string])[]): Promise<readonly AcceptedRow[]>;
  /** Hands out ready jobs in the order of the queue, each to one caller; writes nothing when there are none. Attempts count already. */
  claim(
    database: Sessions,
    claim: Claim,
  ): Promise<{ readonly lease: number; readonly rows: readonly ClaimedRow[] } | undefined>;
}
