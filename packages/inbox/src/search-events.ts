import type { Ports } from "@postern/core";
import { utf8Encode } from "@postern/core/internal";
import type { EventFilter, EventStore, EventSummary } from "@postern/core/ports";

/** One search looks at so many events at most. */
export const mostEventsSearched = 10_000;

/** After this time a search ends with what it has found. The statement that runs then goes on. */
const mostMs = 2_000;

/** How many events are listed at once. */
const pageSize = 500;

/** How long the bodies are that one statement looks at: so a search notices in time that it is over. */
const mostBytes = 16 * 1024 * 1024;

interface EventSearch {
  readonly filter: EventFilter;
  /** At least one character. Bodies that contain its bytes in UTF-8 are found. */
  readonly text: string;
  /** Only events with a smaller id: `next` of the previous search. */
  readonly before?: number;
  /** The search ends when it has found so many. */
  readonly limit: number;
}

interface EventsFound {
  /** Newest first. */
  readonly found: readonly EventSummary[];
  /** How many events fit the filter and were looked at, those without a body included. */
  readonly looked: number;
  /** Of these, how many have no body any more. */
  readonly withoutBody: number;
  /** When the last of them was received. */
  readonly backTo: number | undefined;
  /** The last event that was looked at; `undefined` if all that fit the filter were. */
  readonly next: number | undefined;
}

/**
 * Looks for a text in the bodies of events that fit a filter, newest first. It looks at some events
 * in any case: if you go on from `next` again and again, you come to the end.
 */
export const searchEvents = async (
  { storage: { events }, clock }: Pick<Ports, "storage" | "clock">,
  { filter, text, before, limit }: EventSearch,
): Promise<EventsFound> => {
  const end = clock.monotonic() + mostMs;
  const part = utf8Encode(text);
  const found: EventSummary[] = [];
  let looked = 0;
  let withoutBody = 0;
  let last: EventSummary | undefined;
  let isLast = false;
  const isOver = (): boolean => found.length >= limit || looked >= mostEventsSearched || clock.monotonic() >= end;

  do {
    const border = last?.id ?? before;
    const wanted = Math.min(pageSize, mostEventsSearched - looked);
    const page = { ...filter, ...(border === undefined ? {} : { before: border }), limit: wanted + 1 };
    const listed = await events.list(page);
    let rest: readonly EventSummary[] = listed.slice(0, wanted);
    const oldest = rest.at(-1);
    do {
      const { seen, holding } = await searchSome(events, rest, part);
      for (const event of seen) {
        if (found.length >= limit) break;
        looked += 1;
        if (!event.bodyKept) withoutBody += 1;
        if (holding.has(event.id)) found.push(event);
        last = event;
      }
      rest = rest.slice(seen.length);
    } while (rest.length > 0 && !isOver());
    isLast = listed.length <= wanted && (oldest === undefined || last === oldest);
  } while (!isLast && !isOver());

  return { found, looked, withoutBody, backTo: last?.receivedAt, next: isLast ? undefined : last?.id };
};

/** The first of these events, as many as one statement looks at, and which of them hold the bytes. */
const searchSome = async (
  store: Pick<EventStore, "searchBodies">,
  events: readonly EventSummary[],
  part: Uint8Array,
): Promise<{ readonly seen: readonly EventSummary[]; readonly holding: ReadonlySet<number> }> => {
  const kept = events.filter(({ bodyKept }) => bodyKept).map(({ id }) => id);
  if (kept.length === 0) return { seen: events, holding: new Set() };
  const { looked, holding } = await store.searchBodies(kept, { part, mostBytes });
  const unseen = kept[looked];
  const seen =
    unseen === undefined
      ? events
      : events.slice(
          0,
          events.findIndex(({ id }) => id === unseen),
        );
  return { seen, holding: new Set(holding) };
};
