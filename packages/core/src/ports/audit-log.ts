/** Who acted. */
export type AuditActor =
  | { readonly kind: "user"; readonly id: string }
  /** A person at the command line of the machine itself, by name. */
  | { readonly kind: "operator"; readonly id: string }
  /** A request without a credential: a sign-up, a failed sign-in. */
  | { readonly kind: "anonymous" };

/**
 * Something that was done, or attempted if the attempt matters. An entry holds names, never values.
 * Apart from ids, nothing in it is secret or personal but its origin: `requestId` and `address`,
 * which are erased after the account is deleted (ADR 31).
 */
export interface AuditEntry {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly actor: AuditActor;
  /**
   * The credential that the actor used: `session:<id>`, `api-key:<id>` or `cli`. Absent if there
   * was none. Up to 128 characters.
   */
  readonly credential?: string;
  /**
   * The operation's id, or the event's name: `posts.update`, `sessions.reuse-detected`. Up to 64
   * characters.
   */
  readonly action: string;
  /** The resource that was affected, e.g. `post`, and its id. Up to 64 characters each. */
  readonly resource?: string;
  readonly resourceId?: string;
  /** `done`, or the code of the error that it ended with. */
  readonly result: string;
  /** Up to 128 characters. `erased` once the origin is erased. */
  readonly requestId: string;
  /**
   * The caller's network address; `local` for the command line. Once the origin is erased, it is
   * `erased:` and a commitment, which does not reveal the address.
   */
  readonly address: string;
  /** The names of the fields that were set. */
  readonly fields: readonly string[];
}

export interface StoredAuditEntry extends AuditEntry {
  /** Later entries have larger ids. */
  readonly id: number;
  /** Its place in the chain (ADR 31). Absent until it is sealed, which is a minute or so later. */
  readonly seal?: SaltedSeal;
}

/** The place of an entry in the chain of entries. */
export interface AuditSeal {
  /** 1, 2, 3 and so on, without gaps. */
  readonly place: number;
  /** Covers the entry, its place and the digest before it. Up to 64 characters. */
  readonly digest: string;
}

/** A seal, with the salt of its entry's origin. */
export interface SaltedSeal extends AuditSeal {
  /**
   * Up to 64 characters. With the salt, the commitment to the origin can be recomputed. Absent once
   * the origin is erased.
   */
  readonly salt?: string;
}

/** Which entries. All that is given must hold. */
export interface AuditFilter {
  /** Only what the user or operator with this id did. */
  readonly actorId?: string;
  readonly action?: string;
  /** Any action but these. */
  readonly otherThan?: readonly string[];
  readonly resource?: string;
  readonly resourceId?: string;
  /** Milliseconds since the epoch: not before `since`, before `until`. */
  readonly since?: number;
  readonly until?: number;
}

export interface AuditQuery extends AuditFilter {
  /** Only entries with smaller ids. */
  readonly before?: number;
  /** Only entries with larger ids; these come oldest first. */
  readonly after?: number;
  /** 1 to 1,000. */
  readonly limit: number;
}

/**
 * Who did what. Entries are added and read; nothing changes them. `Housekeeping` removes them when
 * they are old enough. Driven port.
 */
export interface AuditLog {
  append(entry: AuditEntry): Promise<void>;
  /** Newest first. With `after`, oldest first. */
  list(query: AuditQuery): Promise<readonly StoredAuditEntry[]>;
  /** The number of entries, counted up to `atMost`. */
  count(filter: AuditFilter, atMost: number): Promise<number>;
}
