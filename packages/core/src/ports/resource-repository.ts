import type { FieldValue } from "../model/field-value.ts";
import type { Resource } from "../model/resource.ts";
import { type Condition, everything } from "./condition.ts";

/** One row of a resource: snake_case field names, hidden fields included where they were asked for. */
export type Row = Readonly<Record<string, FieldValue>>;

/**
 * Which rows the caller may touch. A mandatory argument of every call that reads or writes existing rows, so that nothing can forget
 * the own-data rule. Made by `scopeOf` from a resource's access rule, or by `allRows` with a reason that says why no rule applies.
 */
export interface AccessScope {
  readonly where: Condition;
  readonly reason?: string;
}

export const scopeOf = (where: Condition): AccessScope => ({ where });
/** Every row, for an administrator or for the system itself; `reason` says which. */
export const allRows = (reason: string): AccessScope => ({ where: everything, reason });

export interface SortKey {
  readonly field: string;
  readonly direction: "asc" | "desc";
}

/** A place in an order: the values that a row has, or had, in the order's fields. */
export type Place = readonly (string | number | null)[];

export interface Selection {
  readonly scope: AccessScope;
  /** Narrows further; nothing when absent. */
  readonly where?: Condition;
}

export interface ListQuery extends Selection {
  /** At least one key, no field twice. The last one is unique (`id`), so that the order is total. Nulls come last in either direction. */
  readonly order: readonly SortKey[];
  /** The list begins right behind this place, whether or not its row still exists. */
  readonly after?: Place;
  /** The list ends right in front of this place, and its last `limit` rows are wanted. Instead of `after`; an empty place is the end of the list. */
  readonly before?: Place;
  /** 1 to 1,000. */
  readonly limit: number;
  /** Only these fields are read; every field, hidden ones included, when absent. */
  readonly fields?: readonly string[];
}

export interface BelowQuery extends Omit<ListQuery, "after" | "before"> {
  /** The field that refers to the parents, and their ids: at most 100. */
  readonly parents: { readonly field: string; readonly ids: readonly string[] };
}

export type WriteResult =
  | "done"
  /** No row with this id in the scope: for the caller it does not exist. */
  | "missing"
  /** The row exists but `expectedRevision` is not its revision. */
  | "stale";

export interface ChangeOptions {
  /** The write happens only while the row has this revision; checked in the write itself. */
  readonly expectedRevision?: number;
}

/**
 * Where the rows of every resource are kept. Driven port; `resourceRepositoryContract` is its definition in code.
 *
 * Each row has two fields of its own: `id` (chosen by the caller, unique) and `revision` (1 at first, one more with each change; kept
 * by the adapter). A stored value reads back identical on every database.
 */
export interface ResourceRepository {
  /**
   * Stores a new row. `row` holds every field of the resource but `revision`.
   * @throws AppError `conflict` with the pointer of the field when a unique value is taken, also when two inserts race;
   *   `not_found` when a row that it refers to does not exist (any more).
   */
  insert(resource: Resource, row: Row): Promise<void>;
  /** `undefined` when there is no such row in the scope: absence is an answer. */
  find(resource: Resource, id: string, scope: AccessScope, fields?: readonly string[]): Promise<Row | undefined>;
  list(resource: Resource, query: ListQuery): Promise<readonly Row[]>;
  /** Those of at most 10,000 ids that the scope holds, in any order, by one query. `fields` is answered as it is by `find`. */
  findEach(
    resource: Resource,
    ids: readonly string[],
    scope: AccessScope,
    fields?: readonly string[],
  ): Promise<readonly Row[]>;
  /** For each parent the first `limit` rows below it, each parent's in their order and behind one another, by one query. */
  listBelow(resource: Resource, query: BelowQuery): Promise<readonly Row[]>;
  /** How many rows there are, counted up to `atMost`. */
  count(resource: Resource, selection: Selection, atMost: number): Promise<number>;
  /**
   * The ids of up to `limit` rows, lowest first, which nobody else can change or delete until the transaction ends. Only inside one; whoever comes
   * second waits, and then sees what became of them.
   */
  hold(resource: Resource, selection: Selection, limit: number): Promise<readonly string[]>;
  /**
   * Changes the named fields and raises `revision` by one.
   * @throws AppError `conflict` like `insert`.
   */
  update(
    resource: Resource,
    id: string,
    scope: AccessScope,
    changes: Row,
    options?: ChangeOptions,
  ): Promise<WriteResult>;
  /** Deletes the row and, with it, all rows of other resources whose reference to it says `onDelete: "cascade"`. */
  delete(resource: Resource, id: string, scope: AccessScope, options?: ChangeOptions): Promise<WriteResult>;
  /** Deletes all rows in the scope that satisfy `where`; how many. */
  deleteWhere(resource: Resource, scope: AccessScope, where: Condition): Promise<number>;
}
