import type { AuditSeal, SaltedSeal, StoredAuditEntry } from "./audit-log.ts";

/** A seal, with the entry that it was made for. */
export interface SealedEntry extends SaltedSeal {
  readonly entryId: number;
  /** Absent if the entry is not in the log any more. */
  readonly entry?: StoredAuditEntry;
}

/** A seal to be stored. */
export type NewAuditSeal = Omit<SealedEntry, "entry">;

/**
 * Selects entries: those of an account, or those about an account or something that belongs to it.
 */
export type Concerned =
  /** Entries of the user with this id. */
  | { readonly actorId: string }
  /** Entries without a credential about the rows of a resource with these ids, 1 to 200. */
  | { readonly resource: string; readonly resourceIds: readonly string[] };

/** The texts that are stored in place of an entry's origin. */
export interface ErasedOrigin {
  readonly entryId: number;
  /** Replaces the address; up to 64 characters. */
  readonly address: string;
  /** Replaces the request's id; up to 128 characters. */
  readonly requestId: string;
}

/**
 * The seals of the audit log: they chain its entries, so that later changes of an entry are found
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
  /**
   * The entry without a seal that has the smallest id, of those with larger ids than the entry of the
   * last seal made before `madeBefore`.
   */
  oldestUnsealed(madeBefore: number): Promise<StoredAuditEntry | undefined>;
  /** The seal with the largest place. With `madeBefore`, only seals made before that time count. */
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
  /**
   * Up to `limit` (1 to 1,000) sealed entries whose seals have a salt, by rising id, with ids above
   * `after`.
   */
  withOrigin(
    concerned: Concerned & { readonly after: number; readonly limit: number },
  ): Promise<readonly StoredAuditEntry[]>;
  /** Replaces the origins of these entries, 1 to 1,000, and deletes the salts of their seals. */
  eraseOrigins(origins: readonly ErasedOrigin[]): Promise<void>;
  /**
   * How far a task has followed the chain, as it last stored it; `undefined` before its first run.
   */
  progress(task: string): Promise<string | undefined>;
  /**
   * Stores how far a task has followed the chain. The task's name has up to 32 characters, the text
   * up to 4,000.
   */
  keepProgress(task: string, text: string): Promise<void>;
}
