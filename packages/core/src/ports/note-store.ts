/** What a person has noted about an event, for others. */
export interface EventNote {
  /** A UUIDv7, so that later notes have larger ids. */
  readonly id: string;
  readonly eventId: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** The id of a user, or the name of an operator: up to 128 characters. */
  readonly author: string;
  /** Up to 2,000 characters. */
  readonly text: string;
}

/** Notes about events. Driven port; `noteStoreContract` is its definition in code. */
export interface NoteStore {
  /** Adds a note. `Housekeeping.prune` removes it together with its event. */
  add(note: EventNote): Promise<void>;
  /** The notes about an event, oldest first; at most `limit` (1 to 1,000). */
  list(eventId: number, limit: number): Promise<readonly EventNote[]>;
}
