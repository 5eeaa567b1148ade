import type { EventStore } from "../ports/event-store.ts";
import type { FeedCommit, FeedEntry, FeedStore } from "../ports/feed-store.ts";
import type { Journal } from "./journal.ts";

/** An entry as it is kept: of an event only its id. */
export type KeptEntry =
  | Exclude<FeedEntry, { readonly kind: "event" }>
  | { readonly kind: "event"; readonly part: number };

interface KeptCommit {
  readonly at: number;
  readonly entries: readonly KeptEntry[];
  readonly place: number | undefined;
}

/** What was committed, in the order of the commits. */
export interface FeedTable {
  readonly commits: Map<number, KeptCommit>;
  last: number;
  lastPlace: number;
}

export const feedTable = (): FeedTable => ({ commits: new Map(), last: 0, lastPlace: 0 });

/** Adds to the feed as a part of the open transaction. */
export const addToFeed = (table: FeedTable, journal: Journal, at: number, entries: readonly KeptEntry[]): void => {
  table.last += 1;
  journal.set(table.commits, table.last, { at, entries, place: undefined });
};

export const memoryFeed = (table: FeedTable, events: Pick<EventStore, "load">, journal: Journal): FeedStore => {
  const { commits } = table;
  const shown = async ({ place = 0, at, entries }: KeptCommit): Promise<FeedCommit> => {
    const ids = entries.flatMap((entry) => (entry.kind === "event" ? [entry.part] : []));
    const found = new Map((await events.load(ids)).map((event) => [event.id, event]));
    return {
      place,
      at,
      entries: entries.flatMap((entry): readonly FeedEntry[] => {
        if (entry.kind !== "event") return [entry];
        const event = found.get(entry.part);
        if (event === undefined) return [];
        const { dedupeKey: _key, disposition: _disposition, headers: _headers, body: _body, ...summary } = event;
        return [{ ...entry, event: summary }];
      }),
    };
  };
  return {
    alert: async (alert, at) => addToFeed(table, journal, at, [{ kind: "alert", part: 0, alert }]),
    number: async () => {
      const unnumbered = [...commits].filter(([, { place }]) => place === undefined).slice(0, 1000);
      for (const [id, commit] of unnumbered) {
        table.lastPlace += 1;
        journal.set(commits, id, { ...commit, place: table.lastPlace });
      }
      return unnumbered.length;
    },
    newest: async () => Math.max(0, ...[...commits.values()].map(({ place = 0 }) => place)),
    has: async (wanted) => [...commits.values()].some(({ place }) => place === wanted),
    read: async (after, limit) => {
      const found = [...commits.values()]
        .filter(({ place = 0 }) => place > after)
        .toSorted((left, right) => (left.place ?? 0) - (right.place ?? 0))
        .slice(0, limit);
      return Promise.all(found.map(shown));
    },
    prune: async (before, limit) => {
      const old = [...commits].slice(0, limit).filter(([, { at }]) => at < before);
      for (const [id] of old) journal.delete(commits, id);
      return old.length;
    },
  };
};
