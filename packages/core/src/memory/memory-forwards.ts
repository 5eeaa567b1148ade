import type { ForwardAttempt, ForwardStore } from "../ports/forward-store.ts";
import type { Journal } from "./journal.ts";

/** Attempts by event, newest first. */
export type ForwardTable = Map<number, readonly ForwardAttempt[]>;

export const memoryForwards = (forwards: ForwardTable, journal: Journal): ForwardStore => ({
  keep: async (attempts) => {
    for (const attempt of attempts) {
      journal.set(forwards, attempt.eventId, [attempt, ...(forwards.get(attempt.eventId) ?? [])]);
    }
  },
  list: async (eventId, limit) => (forwards.get(eventId) ?? []).slice(0, limit),
});
