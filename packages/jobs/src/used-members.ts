import type { RowStore, Rows, Stores, Transaction } from "@postern/core";

/** What the work of a commit has used. */
export interface UsedMembers {
  /** A member of rows that reads. */
  read: boolean;
  /** Anything else: whatever can write, or can be used to write. */
  other: boolean;
}

type Committed = Transaction & Stores;
type Method = (...given: readonly unknown[]) => unknown;

const reading: readonly PropertyKey[] = ["get", "find", "list"] satisfies readonly (keyof RowStore)[];

const noted = (member: unknown, note: () => void): unknown =>
  typeof member !== "function"
    ? member
    : (...given: readonly unknown[]) => {
        note();
        return (member as Method)(...given);
      };

const notedStore = (store: RowStore, used: UsedMembers): RowStore =>
  new Proxy(store, {
    get: (target, name) => {
      if (name === "scopedTo") {
        return (...where: Parameters<RowStore["scopedTo"]>) => notedStore(target.scopedTo(...where), used);
      }
      return noted(Reflect.get(target, name), () => {
        used[reading.includes(name) ? "read" : "other"] = true;
      });
    },
  });

const notedRows = (rows: Rows, used: UsedMembers): Rows =>
  new Proxy(rows, {
    get: (target, name) => {
      const store: unknown = Reflect.get(target, name);
      return typeof store === "object" && store !== null ? notedStore(store as RowStore, used) : store;
    },
  });

/**
 * The same transaction, which notes in `used` what is used of it. To call `enqueue` counts; `knex` and
 * the stores count as soon as they are looked up, because what is done with them cannot be seen.
 */
export const notingUse = (tx: Committed, used: UsedMembers): Committed => {
  const rows = notedRows(tx.rows, used);
  return new Proxy(tx, {
    get: (target, name) => {
      if (name === "rows") return rows;
      const member: unknown = Reflect.get(target, name);
      if (name === "enqueue") {
        return noted(member, () => {
          used.other = true;
        });
      }
      if (member !== undefined) used.other = true;
      return member;
    },
  });
};

/** Whether the work has only read rows. Work that used nothing at all ends its job. */
export const onlyRead = ({ read, other }: UsedMembers): boolean => read && !other;
