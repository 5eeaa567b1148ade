import { jobStates, type Lease, type TextOperator } from "@postern/core/ports";
import type { Knex } from "knex";
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
  /** True: only suspects. False: no suspects. */
  readonly suspects: boolean;
  /** Only jobs of this priority. */
  readonly priority: number | undefined;
  /** How many jobs of the queue may run at once, over all runners. */
  readonly globalLimit: number | undefined;
  /** The runner has said that it is idle. */
  readonly endsIdle: boolean;
}

/** A claim that takes jobs. */
interface Taking extends Claim {
  readonly lease: number;
  /** How many jobs it may take at most, also by the limit over all runners. */
  readonly most: number;
}

/** The values of `runner.state`. */
export const runnerStates = { live: 0, dead: 1 } as const;

/** The columns that a claim returns, except `attempt`. */
export const claimedColumns =
  "id, event_ref, kind, max_attempts, losses, priority, ready_order, order_key, payload, created_at";

/**
 * The order of a queue. Within a priority, the job that has been ready for the longest comes first.
 */
export const queueOrder = "priority, ready_order, id";

export const inQueueOrder = (left: ClaimedRow, right: ClaimedRow): number =>
  left.priority - right.priority || left.ready_order - right.ready_order || left.id - right.id;

/**
 * The condition for jobs that a claim may take. States are written into the text, so that SQLite
 * can use its partial index.
 */
export const readyIn = (
  dialect: Pick<Dialect, "anyTextOf">,
  { queue, kinds, suspects, priority }: Ready,
): Statement => {
  const ofKind = kinds === undefined ? { sql: "1 = 1", values: [] } : dialect.anyTextOf("kind", kinds);
  return {
    sql: `state = ${jobStates.ready} AND queue = ? AND suspect = ${suspects ? 1 : 0}${priority === undefined ? "" : " AND priority = ?"}
   AND ${ofKind.sql} AND NOT EXISTS (SELECT 1 FROM paused_queue WHERE queue = ?)`,
    values: [queue, ...(priority === undefined ? [] : [priority]), ...ofKind.values, queue],
  };
};

/** Which jobs of a queue a search is about. */
export type Ready = Pick<Claim, "queue" | "kinds" | "suspects" | "priority">;

/**
 * A FROM item `ready`: of the jobs that `readyIn` means, the first `limit` of each priority from its
 * floor on, by priority. The planner keeps that order, because each search depends on its floor.
 */
export const readyAbove = (
  dialect: Pick<Dialect, "anyTextOf">,
  ready: Ready,
  wanted: { readonly columns: string; readonly limit: number; readonly and?: string; readonly lock?: string },
  floors: Statement,
): Statement => {
  const condition = readyIn(dialect, ready);
  const { columns, limit, and = "1 = 1", lock = "" } = wanted;
  return {
    sql: `${floors.sql} CROSS JOIN LATERAL (SELECT ${columns} FROM job
      WHERE ${condition.sql} AND ${and} AND job.priority = floor.priority AND job.ready_order >= floor.since
      ORDER BY ready_order, id LIMIT ?${lock}) AS ready`,
    values: [...floors.values, ...condition.values, limit],
  };
};

/**
 * The condition that a job runs, for a row that is found by its primary key. No index answers it: that
 * of running jobs has few, but may be full of entries that nobody could clear.
 */
export const runsByKey = `job.state + 0 = ${jobStates.running}`;

/** How many jobs of a queue run now, as a query of one number: `running`. */
export const countRunning = `SELECT COUNT(*) AS running FROM job WHERE state = ${jobStates.running} AND queue = ?`;

export type InsertRow = readonly Value[];

/** Where rows are inserted. */
interface Target {
  readonly table: string;
  readonly columns: readonly string[];
  /** One more column, which gets the time of the insert: see `Dialect.microseconds`. */
  readonly timed?: string;
}

/** Where a row is inserted that refers to other rows. */
interface ReferringRow extends Pick<Target, "table" | "columns"> {
  /** The columns that refer to other rows. At least one. */
  readonly references: readonly string[];
  /** A condition on `id` and the references of the row, under the name of its table. */
  readonly isThere: string;
}

/** An event to store. */
export interface EventRow {
  readonly id: number;
  /** Provider and dedupe key. */
  readonly key: readonly [string, string];
  /** Further keys under which the event may be stored, and since when they count. */
  readonly others: readonly { readonly key: readonly [string, string]; readonly since: number }[];
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
  readonly received_at: number;
}

/**
 * Of the rows that hold one of its other keys, the first that counts for an event. It bears the key
 * of the event itself.
 */
export const heldElsewhere = (
  { key: [provider, dedupe_key], others }: EventRow,
  rows: ReadonlyMap<string, AcceptedRow>,
): AcceptedRow | undefined => {
  for (const { key, since } of others) {
    const row = rows.get(key.join(" "));
    if (row !== undefined && row.received_at >= since) return { ...row, provider, dedupe_key };
  }
  return undefined;
};

/** Rows by provider and dedupe key. */
export const byKeyText = (rows: readonly AcceptedRow[]): ReadonlyMap<string, AcceptedRow> =>
  new Map(rows.map((row) => [`${row.provider} ${row.dedupe_key}`, row]));

/** Keeps the keys of events beside their rows, to find repeats. */
interface EventKeys {
  /**
   * Reads what must be known before events can be inserted. Does not wait for writes.
   * @throws AppError `unavailable`
   */
  catchUp(): Promise<void>;
  /** Forgets the keys of events whose rows the transaction deletes next. */
  forget(session: Session, ids: readonly number[]): Promise<void>;
}

/**
 * The few statements that SQLite and MySQL/MariaDB spell differently, or should do in different
 * ways.
 */
/** What a transaction wants in the lane of a key: this many places, and the turn for this job if it is free. */
export interface LaneWish {
  readonly key: string;
  readonly first: number;
  readonly places: number;
}

interface LaneRow {
  readonly order_key: string | Uint8Array;
  readonly head_job: number;
  readonly last_place: number;
}

export interface Dialect {
  readonly name: "sqlite" | "mysql" | "postgres";
  /** Makes statements for this kind of server. */
  readonly query: QueryBuilder;
  /** Whether an index may hold some rows only. Otherwise one index has the rows of every state. */
  readonly hasPartialIndexes: boolean;
  /** The value of `type_hash`, which an index has instead of the type. Absent if an index has the type. */
  typeHash?(type: string): Knex.Raw;
  /** How many batches of events to write at once; more would not be faster. */
  readonly concurrentAccepts: number;
  /** How long to hold back the next batch of events; see the port of the event store. */
  readonly gatherAcceptsMs: number;
  /** How often runners look for jobs that nobody runs; see `Runners`. */
  readonly strayLookMs: number;
  /** Forgets where ready jobs were. Call it when the database may have gone back in time. */
  forgetReady?(): void;
  /** Put behind a SELECT whose rows must stay as they are until the transaction ends. */
  readonly forUpdate: string;
  /** Put behind a SELECT whose rows others may read, but not change, until the transaction ends. */
  readonly forShare: string;
  /**
   * Put behind a SELECT that must see what others have committed, also in a transaction of the
   * application that otherwise sees the state of its first statement.
   */
  readonly latest: string;
  /**
   * The database's time in microseconds since the epoch, as an expression. The clock of the asking
   * process does not count.
   */
  microseconds(): Statement;
  /** Inserts rows that hold no bytes, in as few statements as possible. */
  insertRows(session: Session, into: Target, rows: readonly InsertRow[]): Promise<void>;
  /** The condition that `column` is one of these numbers. */
  anyOf(column: string, ids: readonly number[]): Statement;
  /** The condition that `column` is one of these texts. There may be thousands of them. */
  anyTextOf(column: string, texts: readonly string[]): Statement;
  /** How many bytes a text column holds. */
  bytesOf(column: string): string;
  /**
   * Whether a text column contains a piece of text. A to Z equal a to z; no other different
   * characters are equal.
   */
  findsText(column: string, op: TextOperator, piece: string): Statement;
  /** Whether a text column fits a pattern, in which `*` stands for any run of characters. */
  fitsPattern(column: string, pattern: string): Statement;
  /** Whether a column of bytes contains these bytes, one after the other. */
  findsBytes(column: string, part: Uint8Array): Statement;
  /** Reserves `count` numbers of a sequence. Returns the first of them. */
  reserve(session: Session, sequence: IdSequence, count: number): Promise<number>;
  /**
   * An INSERT of `rows` rows (default: 1). If the `key` of a row is taken, the existing row stays
   * as it is.
   */
  insertUnlessTaken(table: string, columns: readonly string[], key: string, rows?: number): string;
  /**
   * An INSERT of `rows` rows into `job`. If the unique key of one is taken, the existing row stays as it
   * is. A number that is taken is an error (`TakenNumber`); where the row that has it also has the unique
   * key, perhaps none, but then fewer rows are changed than have a number of the statement.
   */
  insertUnique(columns: readonly string[], rows: number): string;
  /**
   * An INSERT of one row, which fails like a broken reference unless the row satisfies `isThere`. The
   * values come in the order of `columns`. Absent if another transaction could delete what the row
   * refers to after the condition was checked. Then check the row after its insert.
   */
  insertReferring?(into: ReferringRow): string;
  /**
   * Inserts rows into `lane`, and returns all of them as they are then, in any order. If the key has a row
   * already, it adds the places to it, and sets the head if no job has the turn. Afterwards the rows are
   * locked.
   */
  lockLanes(session: Session, lanes: readonly LaneWish[]): Promise<readonly LaneRow[]>;
  /**
   * A SELECT of `now`, the time of the server in milliseconds since the epoch. Absent if the server
   * is this machine.
   */
  readonly serverTime?: string;
  /**
   * Inserts events, of which no two have the same key. If a key of an event is taken, it adds the
   * repeats to the holder instead. Returns the holder for each event that was not inserted, under
   * the event's own key. It may also return the inserted events. `columns` are those of the events'
   * values.
   * @throws TakenNumber if another row has the number of an event, even one with the event's key. No
   *   row is changed then.
   */
  insertEvents(
    session: Session,
    columns: readonly string[],
    events: readonly EventRow[],
  ): Promise<readonly AcceptedRow[]>;
  /** Absent if an index of the table finds repeats. */
  readonly eventKeys?: EventKeys;
  /** The rows that hold these keys (provider and dedupe key). */
  holdersOf(session: Session, keys: readonly (readonly [string, string])[]): Promise<readonly AcceptedRow[]>;
  /**
   * A FROM item `floor` with the columns `priority` and `since`, one row for each priority, in order:
   * no ready job that a search need find is before these. `undefined`: search from the beginning.
   * Absent where that is never long.
   */
  readyFloors?(ready: Ready): Statement | undefined;
  /**
   * Looks for jobs that a claim may take, in a read. `undefined` if there are none. Otherwise the ids of
   * the best ones, if `takeReady` needs them.
   */
  findReady(database: Sessions, claim: Claim): Promise<readonly number[] | undefined>;
  /**
   * Run by a claim of a queue with a limit over all runners, so that only one of them runs at a time: the
   * row of the queue is the lock. Absent if there is one writer.
   */
  readonly lockQueue?: string;
  /**
   * Hands out the best ready jobs, each to one caller; none to a runner that was declared dead
   * meanwhile, because nobody would ever take them back. The returned attempts include this one.
   */
  takeReady(session: Session, claim: Taking, found: readonly number[]): Promise<readonly ClaimedRow[]>;
  /** Notes that a claim took these jobs, which are in the order of the queue, and is committed. */
  tookReady?(claim: Claim, rows: readonly ClaimedRow[]): void;
  /**
   * Ends running jobs as done in one statement: those that have no order key and no unique key, and
   * whose lease is still valid. Returns these. Absent if the database cannot return what an UPDATE
   * has changed.
   */
  endPlain?(session: Session, leases: readonly Lease[], now: number): Promise<readonly Lease[]>;
}
