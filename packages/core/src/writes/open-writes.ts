import type { Resource } from "../model/resource.ts";
import type { Row } from "../ports/resource-repository.ts";
import type { Stores } from "../ports/storage.ts";

/** A write that is about to be made. */
export interface AskedWrite {
  /** The whole row as it is stored; `undefined` for a new one. */
  readonly stored?: Row | undefined;
  /** The whole row as it becomes; `undefined` for a deletion. */
  readonly row?: Row | undefined;
}

/** The same write after the hooks. */
export interface AnsweredWrite {
  /** The whole row as it becomes. */
  readonly row: Row;
  /** What the hooks changed in it, with the stamps of a state. */
  readonly more: Row;
}

/** The writes of one open transaction. */
export interface OpenWrites {
  /** Whether a write of this resource needs the whole row as it was. */
  hears(resource: Resource): boolean;
  /**
   * Asks the hooks that come before a write.
   * @throws Refused if a hook refuses; AppError `hook_failed` if one fails.
   */
  ask(resource: Resource, write: AskedWrite): Promise<AnsweredWrite>;
}

const member = Symbol("open writes");

/** Gives the stores of a transaction their open writes. */
export const openWritesMember: typeof member = member;

const none: OpenWrites = {
  hears: () => false,
  ask: async (_resource, { row = {} }) => ({ row, more: {} }),
};

/** The open writes of a transaction; without hooks, some that let every write pass. */
export const openWritesOf = (stores: Pick<Stores, "resources">): OpenWrites =>
  (stores as { readonly [member]?: OpenWrites })[member] ?? none;
