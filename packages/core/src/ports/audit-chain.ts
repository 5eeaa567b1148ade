import type { AuditSeal, StoredAuditEntry } from "./audit-log.ts";

/** A seal, with the entry that it was made for. */
export interface SealedEntry extends AuditSeal {
  readonly entryId: number;
  /** Absent if the entry is not in the log any more. */
  readonly entry?: StoredAuditEntry;
}

/** A seal to be stored. */
export type NewAuditSeal = Omit<SealedEntry, "entry">;

/**
 * The seals of the audit log: they chain its entries, so that a change of the past is found
 * (ADR 31). Each call is a transaction of its own. Driven port; `auditChainContract` is its
 * definition in code.
 */
export interface AuditChain {
  /**
   * Up to `limit` (1 to 1,000) entries without a seal, by rising id, with ids above `after` and, if
   * given, up to `upTo`.
   */
  unsealed(query: {
    readonly after: number;
    readonly upTo?: number;
    readonly limit: number;
  }): Promise<readonly StoredAuditEntry[]>;
  /** The seal with the largest place; of those made before `madeBefore`, if given. */
  last(madeBefore?: number): Promise<NewAuditSeal | undefined>;
  /**
   * Stores seals, 1 to 1,000. Returns false, and stores none, if one of the places or one of the
   * entries has a seal already: another process was faster.
   */
  append(seals: readonly NewAuditSeal[], now: number): Promise<boolean>;
  /** Up to `limit` (1 to 1,000) seals by rising place, with places above `after`. */
  list(query: { readonly after: number; readonly limit: number }): Promise<readonly SealedEntry[]>;
  /** The last seal that was pruned; `undefined` while nothing was. */
  anchor(): Promise<AuditSeal | undefined>;
  /**
   * Deletes the seals up to the place of `anchor`, at most 1,000, with their entries, and keeps
   * `anchor` in their place. Returns how many seals there were.
   */
  prune(anchor: AuditSeal): Promise<number>;
}
