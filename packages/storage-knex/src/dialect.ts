import type { Database, IdSequence, Session, Statement, Value } from "./database.ts";

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
  /** Takes a number for the claim; called only when there is something to claim. */
  readonly lease: () => Promise<number>;
}

export type InsertRow = readonly Value[];

export interface AcceptedRow {
  readonly id: number;
  readonly provider: string;
  readonly dedupe_key: string;
  readonly body_sha256: string;
}

/** The few statements that SQLite and MySQL/MariaDB spell differently, or should do in different ways. */
export interface Dialect {
  readonly name: "sqlite" | "mysql";
  /** Put behind a SELECT whose rows must stay as they are until the transaction ends. */
  readonly forUpdate: string;
  /** Rows in pieces, each of which goes into one INSERT. */
  insertChunks(rows: readonly InsertRow[]): readonly (readonly InsertRow[])[];
  /** `column` is one of these numbers. */
  anyOf(column: string, ids: readonly number[]): Statement;
  /** Reserves `count` numbers of a sequence; the first of them. */
  reserve(session: Session, sequence: IdSequence, count: number): Promise<number>;
  /** An INSERT that leaves a row which is there already as it is. `head` ends before VALUES. */
  insertUnlessTaken(table: string, columns: readonly string[], key: string): string;
  /**
   * Inserts events; where the key is taken, counts the repeats there instead. Answers who holds the key of each row that was not inserted,
   * and may answer the inserted rows, too.
   */
  insertEvents(
    session: Session,
    columns: readonly string[],
    rows: readonly InsertRow[],
  ): Promise<readonly AcceptedRow[]>;
  /** Hands out ready jobs in the order of the queue, each to one caller; writes nothing when there are none. Attempts count already. */
  claim(
    database: Database,
    claim: Claim,
  ): Promise<{ readonly lease: number; readonly rows: readonly ClaimedRow[] } | undefined>;
}
