/** Who acted. */
export type AuditActor =
  | { readonly kind: "user"; readonly id: string }
  /** Someone at the machine's own command line, by the name they are known under. */
  | { readonly kind: "operator"; readonly id: string }
  /** A request without a credential: a sign-up, a failed sign-in. */
  | { readonly kind: "anonymous" };

/** One thing that was done, or tried where trying matters. It holds names, never values: nothing of it is secret or personal beyond ids and addresses. */
export interface AuditEntry {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly actor: AuditActor;
  /** What the actor proved themselves with: `session:<id>`, `cli`. Absent: nothing. Up to 128 characters. */
  readonly credential?: string;
  /** The operation's id, or the event's name: `posts.update`, `sessions.reuse-detected`. Up to 64 characters. */
  readonly action: string;
  /** What it was done to, e.g. `post` and its id. Up to 64 characters each. */
  readonly resource?: string;
  readonly resourceId?: string;
  /** `done`, or the code of the error that it ended with. */
  readonly result: string;
  /** Up to 128 characters. */
  readonly requestId: string;
  /** The caller's network address; `local` for the command line. */
  readonly address: string;
  /** The names of the fields that were given a value. */
  readonly fields: readonly string[];
}

export interface StoredAuditEntry extends AuditEntry {
  /** Larger for later entries. */
  readonly id: number;
}

export interface AuditQuery {
  /** Only what the user or operator with this id did. */
  readonly actorId?: string;
  readonly action?: string;
  readonly resource?: string;
  readonly resourceId?: string;
  /** Milliseconds since the epoch: not before `since`, before `until`. */
  readonly since?: number;
  readonly until?: number;
  /** Only entries with smaller ids. */
  readonly before?: number;
  /** 1 to 1,000. */
  readonly limit: number;
}

/** What was done, and by whom: entries are added and read, and nothing changes one. `Housekeeping` removes them when they are old enough. Driven port. */
export interface AuditLog {
  append(entry: AuditEntry): Promise<void>;
  /** Newest first. */
  list(query: AuditQuery): Promise<readonly StoredAuditEntry[]>;
}
