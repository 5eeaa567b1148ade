import { didYouMean } from "../errors/did-you-mean.ts";
import type { Resource } from "../model/resource.ts";
import { timestampOf } from "../model/text.ts";
import type { Ids } from "../ports/ids.ts";
import type { Stores } from "../ports/storage.ts";
import { createRowStore } from "./row-store.ts";
import type { RowStore } from "./row-types.ts";

/** What the compiler says of `commit(async (_rows, { jobs }) => …)`, which was right before there were rows. */
interface StoresAreTheSecondArgumentOfCommit {
  /** Write `commit(async (rows, { jobs }) => …)`. */
  readonly storesAreTheSecondArgumentOfCommit?: never;
}

/**
 * The rows of all declared resources by name: the plural, with underscores (`line_items`). A name
 * that is not declared is refused when it is used; `handlersFor` lets the compiler refuse it. With
 * `noUncheckedIndexedAccess` the compiler takes each of these for possibly absent; `handlersFor`
 * helps here, too.
 */
export type Rows = Readonly<Record<string, RowStore>> & {
  readonly [Name in keyof Stores]: RowStore & StoresAreTheSecondArgumentOfCommit;
};

/** Members that the language itself, or a tool that prints values, asks every object for. */
const askedOfEvery: readonly unknown[] = ["then", "toJSON", "constructor", "asymmetricMatch", "nodeType"];

const unknownName = (name: string, tables: readonly string[], stores: Stores): TypeError => {
  const declared = tables.length === 0 ? "no resource is declared" : `there are ${tables.join(", ")}`;
  return new TypeError(
    Object.hasOwn(stores, name)
      ? `there are no rows named "${name}": the stores are the second argument of commit: commit(async (rows, { ${name} }) => …)`
      : `there are no rows named "${name}"${didYouMean([name], tables) || `; ${declared}`}`,
  );
};

/** Makes the rows that code inside one transaction reads and writes. `now`: milliseconds since the epoch. */
export type RowsIn = (stores: Stores, now: () => number) => Rows;

/** Gives transactions the rows of these resources. */
export const createRows = (resources: readonly Resource[], { ids }: { readonly ids: Ids }): RowsIn => {
  const byName = new Map(resources.map((resource) => [resource.table, resource]));
  const names = [...byName.keys()];
  return (stores, now) => {
    const parts = { resources: stores.resources, ids, now: () => timestampOf(now()) };
    const made = new Map<string, RowStore>();
    const rowsOf = (name: string): RowStore => {
      const resource = byName.get(name);
      if (resource === undefined) throw unknownName(name, names, stores);
      const store = made.get(name) ?? createRowStore(parts, resource);
      made.set(name, store);
      return store;
    };
    // A plain object would give `undefined` for a name that is not declared.
    return new Proxy<Rows>(Object.create(null), {
      get: (_target, name) => {
        if (typeof name === "symbol") return undefined;
        return askedOfEvery.includes(name) && !byName.has(name) ? undefined : rowsOf(name);
      },
      has: (_target, name) => typeof name === "string" && byName.has(name),
    });
  };
};
