import { jobStates, type TextOperator } from "@postern/core";
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
  readonly ready_order: number;
  readonly order_key: string | Uint8Array | null;
  readonly payload: string | null;
  readonly created_at: number;
}

export interface Claim {
  readonly queue: string;
  readonly limit: number;
  readonly runnerId: number;
  readonly now: number;
  /** Only jobs of these kinds; of any kind when absent. */
  readonly kinds: readonly string[] | undefined;
  /** Suspects only, or none of them. */
  readonly suspects: boolean;
  /** Only jobs of this priority. */
  readonly priority: number | undefined;
  /** The most of the queue's jobs that may run at once, over all runners. */
  readonly globalLimit: number | undefined;
  /** Takes a number for the claim; called only when there is something to claim. */
  readonly lease: () => Promise<number>;
}

/** As they stand in `runner.state`. */
export const runnerStates = { live: 0, dead: 1 } as const;

/** The columns that a claim answers, but `attempt`. */
export const claimedColumns =
  "id, event_ref, kind, max_attempts, losses, priority, ready_order, order_key, payload, created_at";

/** The order of a queue: within a priority the job that has been ready for longest. */
export const queueOrder = "priority, ready_order, id";

export const inQueueOrder = (left: ClaimedRow, right: ClaimedRow): number =>
  left.priority - right.priority || left.ready_order - right.ready_order || left.id - right.id;

/** Which jobs a claim may take. States stand in the text, so that SQLite can use its partial index. */
export const readyIn = (
  dialect: Pick<Dialect, "anyTextOf">,
  { queue, kinds, suspects, priority }: Pick<Claim, "queue" | "kinds" | "suspects" | "priority">,
): Statement => {
  const ofKind = kinds === undefined ? { sql: "1 = 1", values: [] } : dialect.anyTextOf("kind", kinds);
  return {
    sql: `state = ${jobStates.ready} AND queue = ? AND suspect = ${suspects ? 1 : 0}${priority === undefined ? "" : " AND priority = ?"}
   AND ${ofKind.sql} AND NOT EXISTS (SELECT 1 FROM paused_queue WHERE queue = ?)`,
    values: [queue, ...(priority === undefined ? [] : [priority]), ...ofKind.values, queue],
  };
};

/** How many jobs of a queue run now, as a query of one number: `running`. */
export const countRunning = `SELECT COUNT(*) AS running FROM job WHERE state = ${jobStates.running} AND queue = ?`;

/** How many jobs a claim may take of a queue in which this many run. */
export const roomOf = ({ limit, globalLimit }: Pick<Claim, "limit" | "globalLimit">, running: number): number =>
  Math.max(0, Math.min(limit, (globalLimit ?? Number.POSITIVE_INFINITY) - running));

export type InsertRow = readonly Value[];

/** Where rows are inserted. */
interface Target {
  readonly table: string;
  readonly columns: readonly string[];
  /** One more column, which gets the time of the insert: see `Dialect.microseconds`. */
  readonly timed?: string;
}

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

/** What stands beside the rows of events, so that repeats are found. */
export interface EventKeys {
  /** Reads what has to be known before events are inserted. Waits for no write. @throws AppError `unavailable` */
  catchUp(): Promise<void>;
  /** Forgets the keys of events whose rows the transaction deletes next. */
  forget(session: Session, ids: readonly number[]): Promise<void>;
}

/** The few statements that SQLite and MySQL/MariaDB spell differently, or should do in different ways. */
export interface Dialect {
  readonly name: "sqlite" | "mysql";
  /** Makes statements for this kind of server. */
  readonly query: QueryBuilder;
  /** How many batches of events it pays to write at once. */
  readonly concurrentAccepts: number;
  /** For how long it pays to hold back the next batch of events; see the port of the event store. */
  readonly gatherAcceptsMs: number;
  /** Put behind a SELECT whose rows must stay as they are until the transaction ends. */
  readonly forUpdate: string;
  /** Put behind a SELECT whose rows others may read, but not change, until the transaction ends. */
  readonly forShare: string;
  /**
   * The database's time in microseconds since the epoch, as an expression. The clock of the process that asks does not
   * count.
   */
  microseconds(): Statement;
  /** Inserts rows that hold no bytes, in as few statements as there can be. */
  insertRows(session: Session, into: Target, rows: readonly InsertRow[]): Promise<void>;
  /** `column` is one of these numbers. */
  anyOf(column: string, ids: readonly number[]): Statement;
  /** `column` is one of these texts, of which there may be thousands. */
  anyTextOf(column: string, texts: readonly string[]): Statement;
  /** How many bytes a text column holds. */
  bytesOf(column: string): string;
  /** Whether a text column holds a piece of text, A to Z being the same as a to z and nothing else the same as anything. */
  findsText(column: string, op: TextOperator, piece: string): Statement;
  /** Reserves `count` numbers of a sequence; the first of them. */
  reserve(session: Session, sequence: IdSequence, count: number): Promise<number>;
  /** An INSERT of `rows` rows (default: 1) that leaves those whose `key` is taken as they are. */
  insertUnlessTaken(table: string, columns: readonly string[], key: string, rows?: number): string;
  /**
   * An INSERT of `rows` rows into `lane`: key, head, places. Where the key has a row, it counts these places on, and takes the head if no job has the
   * turn. The rows are locked then.
   */
  insertLanes(rows: number): string;
  /** The time of the server (milliseconds since the epoch), as a SELECT of `now`; absent where the server is this machine. */
  readonly serverTime?: string;
  /**
   * Inserts events, no two of one key; where the key is taken, counts the repeats there instead. Answers who holds the key of each that was not
   * inserted, and may answer the inserted ones, too. `columns` are those of the events' values.
   */
  insertEvents(
    session: Session,
    columns: readonly string[],
    events: readonly EventRow[],
  ): Promise<readonly AcceptedRow[]>;
  /** Absent where an index of the table finds repeats. */
  readonly eventKeys?: EventKeys;
  /** The rows that hold these keys (provider and dedupe key). */
  holdersOf(session: Session, keys: readonly (readonly [string, string])[]): Promise<readonly AcceptedRow[]>;
  /** Hands out ready jobs in the order of the queue, each to one caller; writes nothing when there are none. Attempts count already. */
  claim(
    database: Sessions,
    claim: Claim,
  ): Promise<{ readonly lease: number; readonly rows: readonly ClaimedRow[] } | undefined>;
}
