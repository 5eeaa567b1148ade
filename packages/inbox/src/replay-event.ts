import { AppError, type Ports } from "@postern/core";
import type { eventActions } from "@postern/core/internal";
import type { EventQuery, EventState, EventStore, EventToReplay, StoredEvent } from "@postern/core/ports";
import { dataOf } from "./event-parts.ts";
import type { InboxHandler } from "./handler.ts";
import { wants } from "./handler.ts";
import { eventJobs } from "./new-events.ts";
import { parametersOf } from "./outside-body.ts";
import { payloadOf } from "./payload.ts";
import type { Providers } from "./provider-registry.ts";
import { faultOf } from "./quarantine.ts";

/** Why an event is not replayed, in each state in which it cannot be; a processed one without `force`. */
const refusals: Readonly<
  Record<Exclude<EventState, (typeof eventActions.replay)[number]> | "processed", string> &
    Partial<Record<EventState, string>>
> = {
  received: "it is waiting to be processed",
  processing: "it is being processed",
  retrying: "it will be tried again by itself",
  processed: "it has been processed; say `force` to run it again",
};

/**
 * Why `EventStore.discard` leaves an event as it is. Of a dead event, another job is still to run.
 */
export const whyNotDiscarded = ({ state }: Pick<StoredEvent, "state">): string => {
  if (state === "discarded") return "it was discarded before";
  if (state === "processed") return "it has been processed";
  return refusals[state] ?? "another of its jobs is still to run";
};

/** The dependencies of a replay. */
export interface ReplayParts {
  readonly ports: Pick<Ports, "storage" | "clock" | "telemetry" | "wakeup">;
  readonly providers: Pick<Providers, "find">;
  readonly handlers: readonly InboxHandler[];
}

/**
 * Prepares what `EventStore.replay` needs to run a dead, cancelled, ignored, quarantined or discarded
 * event again; with `force` also a processed one. Wake the runners after the commit.
 * @throws AppError `not_found`; `state_conflict` when its state does not allow it, when its body
 *   was deleted, when no handler wants it, or when it is still malformed.
 */
export const planReplay = async (
  parts: ReplayParts,
  id: number,
  { force, overruling }: { readonly force: boolean; readonly overruling?: Overruling | undefined },
): Promise<EventToReplay> => {
  const event = await parts.ports.storage.events.find(id);
  if (event === undefined) throw new AppError("not_found", { detail: "There is no such event." });
  const found = await judgeReplay(parts, event, force, overruling);
  if ("refusal" in found) {
    throw new AppError("state_conflict", { detail: `Event ${id} cannot be replayed: ${found.refusal}.` });
  }
  return { id, ...found };
};

/** Why a planned replay made no job. */
export const nothingMade = "somebody else replayed it at the same moment, or no handler wants it any more";

interface BulkReplay {
  /** The events to run again. */
  readonly filter: Pick<EventQuery, "provider" | "type" | "since" | "until" | "cause"> & {
    readonly state: StoredEvent["state"];
    /** Only events after this one: where the previous replay ended. */
    readonly after?: number;
  };
  /** Only reports what would happen. */
  readonly dryRun: boolean;
  readonly force: boolean;
  readonly overruling?: Overruling | undefined;
  /** How many events start per second. If absent, as fast as there are free slots. */
  readonly perSecond?: number;
  /** The most events that are looked at. */
  readonly limit: number;
  /** The transaction of one batch. */
  write(work: (events: EventStore) => Promise<readonly number[]>): Promise<readonly number[]>;
}

interface BulkReplayed {
  readonly matched: number;
  /** How many events run again, or would. */
  readonly replayed: number;
  readonly jobs: number;
  /** Why others do not, the most frequent reason first. */
  readonly skipped: readonly { readonly reason: string; readonly events: number }[];
  /** When the last of them starts. */
  readonly lastDueAt: number | undefined;
  /** The last event that was looked at, if there are more after it. */
  readonly next: number | undefined;
}

/** How many events with their bodies are in memory at once, and in one transaction. */
const batchSize = 50;

/**
 * Runs all matching events again, oldest first. The pace is stored in the jobs themselves: they are
 * due one after the other. So it holds over restarts and on every node, and no connection has to
 * stay open. If somebody else replays an event at the same moment, it runs once.
 */
export const replayEvents = async (parts: ReplayParts, request: BulkReplay): Promise<BulkReplayed> => {
  const { storage, clock, wakeup } = parts.ports;
  const { filter, dryRun, force, overruling, perSecond, limit, write } = request;
  const skipped = new Map<string, number>();
  // The pace is a matter of due times, which are compared with the database's clock.
  const now = (perSecond === undefined ? undefined : await storage.runners.databaseTime()) ?? clock.now();
  const totals = { matched: 0, replayed: 0, jobs: 0 };
  let after = filter.after ?? 0;
  let lastDueAt: number | undefined;
  let more = true;
  const skip = (reason: string): void => void skipped.set(reason, (skipped.get(reason) ?? 0) + 1);

  while (more && totals.matched < limit) {
    const wanted = Math.min(batchSize, limit - totals.matched);
    const summaries = await storage.events.list({ ...filter, after, limit: wanted + 1 });
    const batch = summaries.slice(0, wanted);
    more = summaries.length > wanted;
    after = batch.at(-1)?.id ?? after;
    totals.matched += batch.length;
    const loaded = new Map((await storage.events.load(batch.map(({ id }) => id))).map((event) => [event.id, event]));
    const chosen: EventToReplay[] = [];
    for (const { id } of batch) {
      const event = loaded.get(id);
      const found =
        event === undefined ? { refusal: "it is gone" } : await judgeReplay(parts, event, force, overruling);
      if ("refusal" in found) {
        skip(found.refusal);
        continue;
      }
      if (perSecond !== undefined) {
        lastDueAt = now + Math.floor(((totals.replayed + chosen.length) * 1000) / perSecond);
      }
      chosen.push({ id, ...found, ...(lastDueAt === undefined || lastDueAt <= now ? {} : { dueAt: lastDueAt }) });
    }
    const made = dryRun
      ? chosen.map(() => 1)
      : await write((events) => events.replay(chosen, { includeDone: force, now: clock.now() }));
    for (const jobs of made) {
      if (jobs === 0) skip(nothingMade);
      else totals.replayed += 1;
      totals.jobs += dryRun ? 0 : jobs;
    }
  }
  if (totals.jobs > 0) wakeup.notify();
  return {
    ...totals,
    skipped: [...skipped].map(([reason, events]) => ({ reason, events })).toSorted((a, b) => b.events - a.events),
    lastDueAt: totals.replayed === 0 ? undefined : lastDueAt,
    next: more ? after : undefined,
  };
};

/**
 * What an operator decides about an event that is not as its sender promises. It overrules what the
 * scheme wants; nobody overrules a bound, or the schema of a handler.
 */
export interface Overruling {
  /** Why, for other operators. It is kept with the event. */
  readonly reason: string;
  /** The type of an event to which the sender gave none. */
  readonly asType?: string | undefined;
}

type Judgement = Omit<EventToReplay, "id" | "dueAt"> | { readonly refusal: string };

/** Whether an event can be run again now, and with which additional jobs. */
export const judgeReplay = async (
  parts: ReplayParts,
  event: StoredEvent,
  force: boolean,
  overruling?: Overruling,
): Promise<Judgement> => {
  const refusal = event.state === "processed" && force ? undefined : refusals[event.state];
  if (refusal !== undefined) return { refusal };
  if (event.body === undefined) return { refusal: "its body is kept no longer" };
  // A forced replay creates the event's own jobs again, because some of its finished jobs may have
  // been deleted.
  if (event.disposition === "accepted" && !force) return { extraJobs: [] };
  const provider = await parts.providers.find(event.provider);
  const payload = payloadOf(provider, event.body, event.headers);
  const { asType } = overruling ?? {};
  if (asType !== undefined && event.type !== undefined) return { refusal: `its sender gave it the type ${event.type}` };
  const type = event.type ?? asType;
  const about = {
    ...event,
    type,
    payload,
    data: dataOf(provider?.verifier.scheme, payload),
    query: parametersOf(event.query),
  };
  const takers = parts.handlers.filter((handler) => wants(handler, about));
  const isJudged = event.disposition !== "accepted";
  if (event.disposition === "quarantined" && provider === undefined)
    return { refusal: "its provider is not configured any more" };
  const inspected = { ...event, id: event.eventId, payload };
  const fault = isJudged && provider !== undefined ? await faultOf(provider, inspected, takers) : undefined;
  const remains =
    fault === undefined || overruling === undefined || provider === undefined
      ? fault
      : await faultOf(provider, { ...inspected, type }, takers, true);
  if (remains !== undefined) return { refusal: remains };
  if (takers.length === 0 && event.disposition !== "accepted") return { refusal: "no handler wants it" };
  return {
    extraJobs: eventJobs(parts.ports.telemetry, takers, about),
    ...(fault === undefined || overruling === undefined
      ? undefined
      : { overruled: `${fault}; overruled: ${overruling.reason}` }),
    ...(asType === undefined ? undefined : { type: asType }),
  };
};
