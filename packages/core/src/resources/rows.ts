import { didYouMean } from "../errors/did-you-mean.ts";
import type { Resource } from "../model/resource.ts";
import { timestampOf } from "../model/text.ts";
import type { Ids } from "../ports/ids.ts";
import type { AccessScope, ResourceReads, ResourceRepository } from "../ports/resource-repository.ts";
import type { Stores } from "../ports/storage.ts";
import { openWritesOf } from "../writes/open-writes.ts";
import { createRowReads, createRowStore } from "./row-store.ts";
import type { HeldReadsOf, ReadsOf, RowReads, RowStore } from "./row-types.ts";

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

const unknownName = (name: string, tables: readonly string[], stores: object): TypeError => {
  const declared = tables.length === 0 ? "no resource is declared" : `there are ${tables.join(", ")}`;
  return new TypeError(
    Object.hasOwn(stores, name)
      ? `there are no rows named "${name}": the stores are the second argument of commit: commit(async (rows, { ${name} }) => …)`
      : `there are no rows named "${name}"${didYouMean([name], tables) || `; ${declared}`}`,
  );
};

/**
 * The rows of resources by name, made when they are first used. A plain object would give `undefined`
 * for a name that is not declared.
 */
const byName = <Of extends object>(
  resources: ReadonlyMap<string, Resource>,
  make: (resource: Resource) => Of,
  stores: object,
): Readonly<Record<string, Of>> => {
  const made = new Map<string, Of>();
  const rowsOf = (name: string): Of => {
    const resource = resources.get(name);
    if (resource === undefined) throw unknownName(name, [...resources.keys()], stores);
    const rows = made.get(name) ?? make(resource);
    made.set(name, rows);
    return rows;
  };
  return new Proxy<Readonly<Record<string, Of>>>(Object.create(null), {
    get: (_target, name) => {
      if (typeof name === "symbol") return undefined;
      return askedOfEvery.includes(name) && !resources.has(name) ? undefined : rowsOf(name);
    },
    has: (_target, name) => typeof name === "string" && resources.has(name),
  });
};

/** Makes the rows that code inside one transaction reads and writes. `now`: milliseconds since the epoch. */
export type RowsIn = (stores: Stores, now: () => number) => Rows;

const namesOf = (resources: readonly Resource[]): ReadonlyMap<string, Resource> =>
  new Map(resources.map((resource) => [resource.table, resource]));

/** Gives transactions the rows of these resources. */
export const createRows = (resources: readonly Resource[], { ids }: { readonly ids: Ids }): RowsIn => {
  const names = namesOf(resources);
  return (stores, now) => {
    const parts = { resources: stores.resources, writes: openWritesOf(stores), ids, now: () => timestampOf(now()) };
    return byName(names, (resource) => createRowStore(parts, resource), stores) as Rows;
  };
};

/** Members of rows that a read does not have. */
const writing: readonly string[] = ["create", "update", "move", "remove"] satisfies readonly (keyof RowStore)[];

const refuseHold = (options: unknown): void => {
  if (Object(options).hold === true) throw new TypeError("a read locks nothing: hold rows in commit");
};

/** The rows, with a sentence for code without types that writes or locks. */
const onlyRead = (rows: RowReads): RowReads => {
  const reads: RowReads = {
    get: async (id, ...more: unknown[]) => {
      refuseHold(more[0]);
      return rows.get(id);
    },
    find: async (values, ...more: unknown[]) => {
      refuseHold(more[0]);
      return rows.find(values);
    },
    list: rows.list,
    scopedTo: (where) => onlyRead(rows.scopedTo(where)),
  };
  return new Proxy(reads, {
    get: (target, name) => {
      if (!writing.includes(String(name))) return Reflect.get(target, name);
      throw new TypeError(
        `a read writes nothing, so its rows have no "${String(name)}": write in the transaction (\`commit\` of a handler, \`write\` of an operation)`,
      );
    },
  });
};

/** The rows, for code that reads and locks, with a sentence for code without types that writes. */
const onlyHeld = (rows: RowStore): RowStore =>
  new Proxy(rows, {
    get: (target, name) => {
      if (name === "scopedTo") {
        return (...where: Parameters<RowStore["scopedTo"]>) => onlyHeld(target.scopedTo(...where));
      }
      if (!writing.includes(String(name))) return Reflect.get(target, name);
      throw new TypeError(`a hook before a write only reads, so its rows have no "${String(name)}"`);
    },
  });

/** Gives the rows of these resources to code that reads them in a transaction, and may lock them there. */
export const createHeldReads = (
  resources: readonly Resource[],
  ids: Ids,
): ((resources: ResourceRepository) => HeldReadsOf<Rows>) => {
  const names = namesOf(resources);
  return (inside) => {
    // Nothing is written through it.
    const parts = { resources: inside, writes: openWritesOf({ resources: inside }), ids, now: () => "" };
    return byName(names, (resource) => onlyHeld(createRowStore(parts, resource)), {}) as unknown as HeldReadsOf<Rows>;
  };
};

/** Gives the rows of these resources to code that only reads; with `scopeFor` only those of each scope. */
export const createReads = (
  resources: readonly Resource[],
): ((reads: ResourceReads, scopeFor?: (resource: Resource) => AccessScope) => ReadsOf<Rows>) => {
  const names = namesOf(resources);
  return (reads, scopeFor) =>
    byName(names, (resource) => onlyRead(createRowReads(reads, resource, scopeFor?.(resource))), {}) as ReadsOf<Rows>;
};
