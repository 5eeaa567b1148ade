import type { Field } from "../model/field.ts";
import type { FieldValue } from "../model/field-value.ts";
import type { Resource, ResourceShape, ShapeOf } from "../model/resource.ts";
import type { Comparable, Condition } from "../ports/condition.ts";

/** The members of a row that the server sets. */
interface ServerSet {
  readonly id: string;
  /** RFC 3339, UTC, three decimals. */
  readonly created_at: string;
  readonly updated_at: string;
  /** 1 at first, one more with each change. */
  readonly revision: number;
}

type Fields<Shape extends ResourceShape> = Shape["fields"];
type ValueOf<One> = One extends { readonly schema: { readonly _zod: { readonly output: infer Value } } }
  ? Value
  : FieldValue;
type HasDefault<One extends Field> = One extends { readonly default?: infer Default }
  ? [Exclude<Default, undefined>] extends [never]
    ? false
    : true
  : false;

/** The values of the declared fields. */
type ValuesOf<Shape extends ResourceShape> = {
  readonly [Name in keyof Fields<Shape>]: ValueOf<Fields<Shape>[Name]>;
};

/** A row with the values that its resource declares. */
export type RowOfShape<Shape extends ResourceShape> = ServerSet & ValuesOf<Shape>;

/** A row of a declared resource: `RowOf<typeof invoice>`. */
export type RowOf<One extends Resource> = RowOfShape<ShapeOf<One>>;

/** The fields that a new row needs: they have no default and cannot be null. */
type NeededBy<Shape extends ResourceShape> = string extends keyof Fields<Shape>
  ? never
  : {
      [Name in keyof Fields<Shape>]: null extends ValueOf<Fields<Shape>[Name]>
        ? never
        : HasDefault<Fields<Shape>[Name]> extends true
          ? never
          : Name;
    }[keyof Fields<Shape>];

/** Some values of a row. */
type RowChanges<Values> = { readonly [Name in keyof Values]?: Values[Name] | undefined };

/**
 * The values of a new row. `Needed` comes first, because the compiler's error for a value that is
 * missing begins with it.
 */
type NewRow<Needed extends keyof Values, Values> = {
  readonly [Name in Needed]: Values[Name];
} & RowChanges<Omit<Values, Needed>>;

type Compared<Value> = Extract<Value, Comparable>;

/** Values that rows have. With a list, any of its values fits. All must hold. */
type RowValues<Shape extends ResourceShape> = {
  readonly [Name in keyof Fields<Shape> | keyof ServerSet]?:
    | Compared<Name extends keyof ServerSet ? ServerSet[Name] : ValueOf<Fields<Shape>[Name]>>
    | readonly Compared<Name extends keyof ServerSet ? ServerSet[Name] : ValueOf<Fields<Shape>[Name]>>[];
};

/** The names that conditions and orders may use. */
type FieldName<Shape extends ResourceShape> = (keyof Fields<Shape> & string) | keyof ServerSet;

export interface ReadRow {
  /** True if nobody else may change the row until the transaction ends. Default: false. */
  readonly hold?: boolean;
}

export interface ListRows<Shape extends ResourceShape> {
  /** Only rows that also satisfy this. */
  readonly where?: Condition<FieldName<Shape>>;
  /** The fields to sort by; `-` means descending. Default: `["id"]`, the oldest first. */
  readonly order?: readonly `${"" | "-"}${FieldName<Shape>}`[];
  /** The list begins right after this row, which a list in the same order has returned. */
  readonly after?: RowOfShape<Shape>;
  /** 1 to 1,000. Default: 1,000. */
  readonly limit?: number;
}

/** The rows of one resource, in a transaction that only reads. */
export interface RowReads<Shape extends ResourceShape = ResourceShape> {
  /** @throws AppError `not_found`. */
  get(id: string): Promise<RowOfShape<Shape>>;
  /**
   * The one row with these values.
   * @throws AppError `not_found` if there is none, `validation_failed` for a value that the field
   *   cannot have; TypeError if there are several.
   */
  find(values: RowValues<Shape>): Promise<RowOfShape<Shape>>;
  /** The rows with these values, all without any; at most 1,000 at once. */
  list(values?: RowValues<Shape>, options?: ListRows<Shape>): Promise<readonly RowOfShape<Shape>[]>;
  /** The same rows as somebody sees them who has only those that satisfy the condition. */
  scopedTo(where: Condition<FieldName<Shape>>): RowReads<Shape>;
}

/** What reads of these rows, and can lock them until the transaction ends. */
export type HeldReadsOf<Named> = {
  readonly [Name in keyof Named]: Named[Name] extends RowStore<infer Shape>
    ? Pick<RowStore<Shape>, "get" | "find" | "list">
    : never;
};

/** What reads of these rows. */
export type ReadsOf<Named> = {
  readonly [Name in keyof Named]: Named[Name] extends RowStore<infer Shape> ? RowReads<Shape> : never;
};

/**
 * The rows of one resource, inside a transaction. Writes keep the rules of the declaration: values
 * fit their fields, a state follows the lifecycle and gets its stamp, `updated_at` and `revision` go
 * on. The application itself may write every field, also those that no caller can; quotas hold for
 * callers only. Every method but `list` fails with an AppError `not_found` for a row that is not
 * there, so that the job runs again: the row may come later.
 */
export interface RowStore<Shape extends ResourceShape = ResourceShape> {
  /** @throws AppError `not_found`. */
  get(id: string, options?: ReadRow): Promise<RowOfShape<Shape>>;
  /**
   * The one row with these values.
   * @throws AppError `not_found` if there is none, `validation_failed` for a value that the field
   *   cannot have; TypeError if there are several.
   */
  find(values: RowValues<Shape>, options?: ReadRow): Promise<RowOfShape<Shape>>;
  /** The rows with these values, all without any; at most 1,000 at once. */
  list(values?: RowValues<Shape>, options?: ListRows<Shape>): Promise<readonly RowOfShape<Shape>[]>;
  /**
   * Stores a new row and returns it whole. The times and the revision are made here, and so is the id,
   * unless `options` has one of your own, which must be a UUID.
   * @throws AppError `validation_failed`, `unknown_field` or `field_read_only` for values that do not
   *   fit, `state_conflict` for a state in which no row begins, `conflict` for a unique value that is
   *   taken, `not_found` for a row that it refers to.
   */
  create(
    values: NewRow<NeededBy<Shape>, ValuesOf<Shape>>,
    options?: { readonly id?: string },
  ): Promise<RowOfShape<Shape>>;
  /**
   * Changes the named fields and returns the whole row. If they have these values already, nothing
   * is written. Nobody else changes the row between its reading and the end of the transaction.
   * @throws AppError as `create`, and `not_found` for the row itself.
   */
  update(id: string, changes: RowChanges<ValuesOf<Shape>>): Promise<RowOfShape<Shape>>;
  /**
   * Moves a row to another state of its lifecycle, and changes these fields with it. A stamp among
   * them stays as it is given; otherwise it becomes the present time. A row that is in the state
   * already stays in it.
   * @throws AppError `state_conflict` for a move that the lifecycle does not have, and as `update`;
   *   TypeError for a resource without a lifecycle.
   */
  move(id: string, state: Shape["state"], changes?: RowChanges<ValuesOf<Shape>>): Promise<RowOfShape<Shape>>;
  /**
   * Deletes the row and what belongs to it.
   * @throws AppError `not_found`, and `state_conflict` for the last row of those of which one must stay.
   */
  remove(id: string): Promise<void>;
  /**
   * The same rows as somebody sees them who has only those that satisfy the condition, such as the
   * rows of one user. Others are not there for them, and they cannot create others.
   */
  scopedTo(where: Condition<FieldName<Shape>>): RowStore<Shape>;
}

/** `line-items` becomes `line_items`, as its table. */
type Named<Plural extends string> = Plural extends `${infer Head}-${infer Tail}` ? `${Head}_${Named<Tail>}` : Plural;

/** The rows of these resources by name: the plural, with underscores. */
export type RowsOf<Resources extends readonly Resource[]> = {
  readonly [One in Resources[number] as Named<ShapeOf<One>["plural"]>]: RowStore<ShapeOf<One>>;
};
