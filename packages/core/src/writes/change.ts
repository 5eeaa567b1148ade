import type { Caller } from "../model/caller.ts";
import { allows, type Field } from "../model/field.ts";
import type { Resource } from "../model/resource.ts";
import type { Row } from "../ports/resource-repository.ts";

/**
 * What one commit made of one row. However often the commit wrote the row, it is one change: `before`
 * is the row as it was before the first write, `row` as it is after the last.
 */
export interface Change<Of = Row> {
  /** A UUIDv7, the same for every hook and at every try. */
  readonly id: string;
  /** The name of the resource, such as `invoice`. */
  readonly resource: string;
  /** The id of the row. */
  readonly rowId: string;
  /** A move of a lifecycle is an `update` whose `changed` has the field of the state. */
  readonly kind: "create" | "update" | "delete";
  /** RFC 3339, UTC, three decimals. */
  readonly at: string;
  /** The user who asked for it; `null` if it was the application itself, or a person at the command line. */
  readonly caller: Caller | null;
  /** The id of the request that caused it; `null` if none did. */
  readonly request: string | null;
  /** The fields that got another value. For a new row, those that have one; for a deletion, none. */
  readonly changed: readonly string[];
  /**
   * The row before, without digests and fields that nobody reads; `null` for a new one, and if the
   * change has more than 48 KiB.
   */
  readonly before: Of | null;
  /** The row after, in the same form; `null` for a deletion, and if the change has more than 48 KiB. */
  readonly row: Of | null;
}

const isReadable = (field: Field | undefined): boolean => field === undefined || allows(field.read, true);

/** The row without what nobody reads. */
export const readableRow = ({ fields }: Resource, row: Row): Row =>
  Object.fromEntries(Object.entries(row).filter(([name]) => isReadable(fields[name])));

const setByStorage: readonly string[] = ["id", "created_at", "updated_at", "revision"];

const same = (left: unknown, right: unknown): boolean => JSON.stringify(left) === JSON.stringify(right);

/**
 * The fields that a write gives another value. A field that nobody reads counts if callers write it,
 * such as a password; what the server alone keeps in a row does not.
 */
export const changedFields = (
  { fields }: Resource,
  before: Row | undefined,
  after: Row | undefined,
): readonly string[] => {
  if (after === undefined) return [];
  return Object.entries(fields).flatMap(([name, field]) => {
    if (setByStorage.includes(name)) return [];
    if (!isReadable(field) && field.kind !== "digest" && field.write === "nobody") return [];
    return same(before?.[name] ?? null, after[name] ?? null) ? [] : [name];
  });
};
