import type { NewJob } from "@postern/core";
import { endedStates, eventActions, givenUpStates, includesState, utf8Encode } from "@postern/core/internal";
import type { EventToReplay, StoredEvent } from "@postern/core/ports";
import {
  type Batch,
  batchSize,
  changedMeanwhile,
  type MadeJob,
  type PlanRequest,
  type PlanSubject,
  type Verdict,
} from "./plan-subject.ts";
import { judgeReplay, nothingMade, type ReplayParts, whyNotDiscarded } from "./replay-event.ts";

/** One statement that looks for a text looks at as many bytes of bodies, or at one body. */
const mostBytes = 16 * 1024 * 1024;

/** An event has so many jobs at most that count. */
const mostHandlers = 100;

/** The next events that fit the filter, and which of them contain the text. */
const nextBatch = async (
  { storage: { events } }: ReplayParts["ports"],
  { filter, text }: Pick<PlanRequest, "filter" | "text">,
  after: number,
): Promise<Batch> => {
  const listed = await events.list({ ...filter, after, limit: batchSize + 1 });
  const page = listed.slice(0, batchSize);
  const ids = page.map(({ id }) => id);
  const isLast = listed.length <= batchSize;
  if (text === undefined) return { looked: ids, selected: new Set(ids), isLast };
  const kept = page.filter(({ bodyKept }) => bodyKept).map(({ id }) => id);
  if (kept.length === 0) return { looked: ids, selected: new Set(), isLast };
  const { looked, holding } = await events.searchBodies(kept, { part: utf8Encode(text), mostBytes });
  const unseen = kept[looked];
  const seen = unseen === undefined ? ids : ids.slice(0, ids.indexOf(unseen));
  return { looked: seen, selected: new Set(holding), isLast: isLast && seen.length === ids.length };
};

/** The jobs that a replay makes for an event. */
const jobsOfReplay = async (
  { storage: { jobRecords } }: ReplayParts["ports"],
  id: number,
  extraJobs: readonly NewJob[],
  force: boolean,
): Promise<readonly MadeJob[]> => {
  const current = await jobRecords.list({ eventId: id, current: true, limit: mostHandlers });
  const states = force ? endedStates : givenUpStates;
  const again = current.filter(({ state }) => states.includes(state));
  const added = extraJobs.filter(({ kind }) => !current.some((job) => job.kind === kind));
  return [...again, ...added].map(({ kind, orderKey }) => ({ kind, orderKey }));
};

const judge = async (
  parts: ReplayParts,
  { action, force, reason }: PlanRequest,
  event: StoredEvent,
): Promise<Verdict<EventToReplay>> => {
  const { id } = event;
  if (action === "discard") {
    return includesState(eventActions.discard, event.state)
      ? { kind: "do", chosen: { id, extraJobs: [] }, made: async () => [] }
      : { kind: "skip", reason: whyNotDiscarded(event) };
  }
  try {
    const found = await judgeReplay(parts, event, force, reason === undefined ? undefined : { reason });
    if ("refusal" in found) return { kind: "skip", reason: found.refusal };
    return {
      kind: "do",
      chosen: { id, ...found },
      made: () => jobsOfReplay(parts.ports, id, found.extraJobs, force),
    };
  } catch (thrown) {
    // One event, or one sender whose keys cannot be opened, must not hold up the others. If it is the
    // storage that is away, the batch is not stored, and comes again.
    const fields = { event: event.id, provider: event.provider };
    parts.ports.telemetry.log("error", "a plan cannot tell what to do with an event", fields, thrown);
    return { kind: "fail" };
  }
};

/** The events that a plan replays or discards. */
export const eventSubject = (parts: ReplayParts, request: PlanRequest): PlanSubject<EventToReplay> => ({
  next: (after) => nextBatch(parts.ports, request, after),
  // An event that is gone is skipped.
  judge: async (ids) => {
    const loaded = await parts.ports.storage.events.load(ids);
    const found = new Map(loaded.map((event) => [event.id, event]));
    const verdicts = new Map<number, Verdict<EventToReplay>>();
    for (const id of ids) {
      const event = found.get(id);
      verdicts.set(
        id,
        event === undefined ? { kind: "skip", reason: "it is gone" } : await judge(parts, request, event),
      );
    }
    return verdicts;
  },
  act: async ({ events }, chosen, now) => {
    if (request.action === "replay") return events.replay(chosen, { includeDone: request.force, now });
    const ids = chosen.map(({ id }) => id);
    return (await events.discard(ids, { reason: request.reason ?? "", now })).map((isDone) => (isDone ? 1 : 0));
  },
  whyLate: request.action === "replay" ? nothingMade : changedMeanwhile,
  makesJobs: request.action === "replay",
});
