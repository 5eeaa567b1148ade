import type { FieldValue } from "../model/field-value.ts";
import type { Resource } from "../model/resource.ts";
import { type Condition, everything } from "./condition.ts";

/**
 * One row of a resource, with snake_case field names. It has hidden fields only if you asked for
 * them.
 */
export type Row = Readonly<Record<string, FieldValue>>;

/**
 * Which rows the caller may see or change. Every call on existing rows requires a scope, so that no
 * code can forget the access rule. `scopeOf` makes one from a resource's access rule; `allRows`
 * makes one for every row and takes a reason.
 */
export interface AccessScope {
  readonly where: Condition;
  readonly reason?: string;
}

export const scopeOf = (where: Condition): AccessScope => ({ where });
/** Every row, for an administrator or for the system itself. `reason` says which. */
export const allRows = (reason: string): AccessScope => ({ where: everything, reason });

export interface SortKey {
  readonly field: string;
  readonly direction: "asc" | "desc";
}

/** A place in an order: the values that a row has, or had, in the fields of the order. */
export type Place = readonly (string | number | null)[];

export interface Selection {
  readonly scope: AccessScope;
  /** Only rows that also satisfy this. */
  readonly where?: Condition;
}

/** Which parts of rows are read. */
export interface ReadOptions {
  /** The fields to read; if absent, every field, hidden ones included. */
  readonly fields?: readonly string[];
  /**
   * 64 or more. Texts and JSON of more bytes (UTF-8) than this are not read, so that many rows fit
   * into memory: null stands in their place, and the row's member `$left_out` says by field how
   * many bytes each has. Everything is read when absent.
   */
  readonly longest?: number;
}

/**
 * The member of a row that names the values that `longest` left out. No field can have this name.
 */
export const leftOutMember = "$left_out";

export interface ListQuery extends Selection, ReadOptions {
  /**
   * At least one key, no field twice. The last key is unique (`id`), so that the order is total.
   * Nulls come last in either direction.
   */
  readonly order: readonly SortKey[];
  /** The list begins right after this place. The row itself need not exist any more. */
  readonly after?: Place;
  /**
   * The list ends right before this place; you get the last `limit` rows. Use it instead of
   * `after`. An empty place is the end of the list.
   */
  readonly before?: Place;
  /** 1 to 1,000. */
  readonly limit: number;
}

interface BelowQuery extends Omit<ListQuery, "after" | "before"> {
  /** The field that refers to the parents, and their ids: at most 100. */
  readonly parents: { readonly field: string; readonly ids: readonly string[] };
}

export type WriteResult =
  | "done"
  /** The scope holds no row with this id. For the caller, it does not exist. */
  | "missing"
  /** The row exists but `expectedRevision` is not its revision. */
  | "stale";

/** A row, and the rows that the caller may touch: a row outside `scope` counts as missing. */
interface RowInScope {
  readonly id: string;
  readonly scope: AccessScope;
}

/** What the seam of writes knows of a write. Adapters do not look at it. */
interface KnownWrite {
  /** The hooks that come before a write have been asked. */
  readonly isAsked?: true;
}

interface ChangeOptions extends KnownWrite {
  /** The write happens only if the row has this revision; the write itself checks it. */
  readonly expectedRevision?: number;
  /** The whole row as it was read with `expectedRevision`, or under a lock. The seam of writes reads it otherwise. */
  readonly stored?: Row;
}

/** Who wants to know which rows go with a deleted one. */
export interface Cascade {
  /** The names of the resources whose rows it wants. */
  readonly resources: ReadonlySet<string>;
  /** Called with rows that this transaction deletes together with the named one. */
  deleted(resource: Resource, rows: readonly Row[]): void;
  /** Called if `Housekeeping.finishDeletions` has to delete the rows below. */
  left(): void;
}

interface DeleteOptions extends ChangeOptions {
  readonly cascade?: Cascade;
}

/** Reads the rows of every resource. */
export interface ResourceReads {
  /** `undefined` if the scope holds no such row: absence is an answer, not an error. */
  find(resource: Resource, id: string, scope: AccessScope, fields?: readonly string[]): Promise<Row | undefined>;
  list(resource: Resource, query: ListQuery): Promise<readonly Row[]>;
  /** Those of at most 10,000 ids that the scope holds, in any order, by one query. */
  findEach(
    resource: Resource,
    ids: readonly string[],
    scope: AccessScope,
    options?: ReadOptions,
  ): Promise<readonly Row[]>;
  /** The first `limit` rows below each parent, in order, grouped by parent, by one query. */
  listBelow(resource: Resource, query: BelowQuery): Promise<readonly Row[]>;
  /**
   * How many rows there are, and how many bytes (UTF-8) their texts and JSON have in all; 0 bytes
   * unless `bytes` asks for them. Sees what is committed and what its own transaction wrote. To keep
   * others from adding rows until your transaction ends, let all writers `hold` the same row first.
   */
  usage(
    resource: Resource,
    selection: Selection,
    asked: { readonly bytes: boolean },
  ): Promise<{ readonly rows: number; readonly bytes: number }>;
  /** The number of rows, counted up to `atMost`. */
  count(resource: Resource, selection: Selection, atMost: number): Promise<number>;
}

/** Only what reads, also at run time. */
export const readsOf = (rows: ResourceReads): ResourceReads => ({
  find: rows.find,
  list: rows.list,
  findEach: rows.findEach,
  listBelow: rows.listBelow,
  usage: rows.usage,
  count: rows.count,
});

/**
 * Stores the rows of every resource. Driven port; `resourceRepositoryContract` is its definition in
 * code.
 *
 * In addition to its resource's fields, each row has an `id` (chosen by the caller, unique) and a
 * `revision` (1 at first, one more with each change; kept by the adapter). A stored value reads
 * back identical on every database.
 */
export interface ResourceRepository extends ResourceReads {
  /**
   * Stores a new row. `row` has every field of the resource except `revision`.
   * @throws AppError `conflict` with the pointer of the field when a unique value is taken, also
   *   when two inserts race; `not_found` when a row that it refers to does not exist (any more).
   */
  insert(resource: Resource, row: Row, known?: KnownWrite): Promise<void>;
  /**
   * Locks up to `limit` rows, lowest ids first, and returns their ids. No other caller can change
   * or delete them until the transaction ends. Only inside a transaction. A second caller waits,
   * and then sees what became of the rows.
   */
  hold(resource: Resource, selection: Selection, limit: number): Promise<readonly string[]>;
  /**
   * Changes the named fields and raises `revision` by one.
   * @throws AppError `conflict` like `insert`.
   */
  update(resource: Resource, row: RowInScope, changes: Row, options?: ChangeOptions): Promise<WriteResult>;
  /**
   * Deletes the row, and all rows of other resources whose reference to it says
   * `onDelete: "cascade"`. When this resolves, nobody sees these rows any more, no row can refer to
   * them, and their unique values are free. If there are many, they are still stored:
   * `Housekeeping.finishDeletions` deletes them piece by piece.
   */
  delete(resource: Resource, id: string, scope: AccessScope, options?: DeleteOptions): Promise<WriteResult>;
  /** Deletes all rows in the scope that satisfy `where`, and returns how many. */
  deleteWhere(resource: Resource, scope: AccessScope, where: Condition): Promise<number>;
}
