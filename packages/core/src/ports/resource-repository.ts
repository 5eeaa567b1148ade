import type { Resource } from "../resources/resource.ts";
import { type Condition, everything } from "./condition.ts";

/** A field's value as it is stored and as it stands in JSON: one spelling, one form. */
export type FieldValue = string | number | boolean | null | { readonly [member: string]: unknown };

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

export interface ListQuery {
  readonly scope: AccessScope;
  /** Narrows further; nothing when absent. */
  readonly where?: Condition;
  /** At least one key. The last one is unique (`id`), so that the order is total. */
  readonly order: readonly SortKey[];
  /** Values of the order's fields in the last row already seen; the list goes on right behind them, whether or not that row still exists. */
  readonly after?: readonly (string | number | null)[];
  /** 1 to 1,000. */
  readonly limit: number;
  /** Only these fields are read; every field, hidden ones included, when absent. */
  readonly fields?: readonly string[];
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
