import { AppError } from "../errors/index.ts";
import type { EventQuery, EventStore, StoredEvent } from "../ports/event-store.ts";
import type { Ports } from "../ports/index.ts";
import type { NewJob } from "../ports/job.ts";
import { eventJobs } from "./event-jobs.ts";
import type { InboxHandler } from "./handler.ts";
import { wants } from "./handler.ts";
import { payloadOf } from "./payload.ts";
import type { Providers } from "./provider-registry.ts";
import { faultOf } from "./quarantine.ts";

const refusals: Readonly<Partial<Record<StoredEvent["state"], string>>> = {
  received: "it is waiting to be processed",
  processing: "it is being processed",
  retrying: "it will be tried again by itself",
  processed: "it has been processed; say `force` to run it again",
};

/** What a replay works with. */
export interface ReplayParts {
  readonly ports: Pick<Ports, "storage" | "clock" | "telemetry" | "wakeup">;
  readonly providers: Pick<Providers, "find">;
  readonly handlers: readonly InboxHandler[];
}

/**
 * What `EventStore.replay` needs to run a dead, cancelled, ignored or quarantined event again; with `force` also one that has been processed. Wake the
 * runners once it is committed.
 * @throws AppError `not_found`; `state_conflict` when its state does not allow it, when its body is kept no longer, when no handler wants it, or when it
 *   is still not what its sender's events are.
 */
export const planReplay = async (
  parts: ReplayParts,
  id: number,
  { force }: { readonly force: boolean },
): Promise<{ readonly id: number; readonly extraJobs: readonly NewJob[] }> => {
  const event = await parts.ports.storage.events.find(id);
  if (event === undefined) throw new AppError("not_found", { detail: "There is no such event." });
  const found = await plan(parts, event, force);
  if ("refusal" in found) {
    throw new AppError("state_conflict", { detail: `Event ${id} cannot be replayed: ${found.refusal}.` });
  }
  return { id, ...found };
};

/** Why a replay that was planned made no job. */
export const nothingMade = "somebody else replayed it at the same moment, or no handler wants it any more";

export interface BulkReplay {
  /** Which events. */
  readonly filter: Pick<EventQuery, "provider" | "type" | "since" | "until"> & {
    readonly state: StoredEvent["state"];
    /** Only events behind this one: where the replay before ended. */
    readonly after?: number;
  };
  /** Only says what would be done. */
  readonly dryRun: boolean;
  readonly force: boolean;
  /** How many events begin in a second; as fast as there are free slots when absent. */
  readonly perSecond?: number;
  /** The most events that are looked at. */
  readonly limit: number;
  /** The transaction of one batch. */
  write(work: (events: EventStore) => Promise<readonly number[]>): Promise<readonly number[]>;
}

export interface BulkReplayed {
  readonly matched: number;
  /** Events that run again, or would. */
  readonly replayed: number;
  readonly jobs: number;
  /** Why others do not, most frequent first. */
  readonly skipped: readonly { readonly reason: string; readonly events: number }[];
  /** When the last of them begins. */
  readonly lastDueAt: number | undefined;
  /** The last event looked at, when there are more behind it. */
  readonly next: number | undefined;
}

/** Events with their bodies in memory at once, and in one transaction. */
const batchSize = 50;

/**
 * Runs all events again that match, oldest first. The pace is written into the jobs themselves: they are due one after the other, so it holds over
 * restarts and on every node, and nothing has to stay connected. An event that somebody else replays at the same moment runs once.
 */
export const replayEvents = async (parts: ReplayParts, request: BulkReplay): Promise<BulkReplayed> => {
  const { storage, clock, wakeup } = parts.ports;
  const { filter, dryRun, force, perSecond, limit, write } = request;
  const skipped = new Map<string, number>();
  const now = clock.now();
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
    const chosen: { id: number; extraJobs: readonly NewJob[]; dueAt?: number }[] = [];
    for (const { id } of batch) {
      const event = loaded.get(id);
      const found = event === undefined ? { refusal: "it is gone" } : await plan(parts, event, force);
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

type Plan = { readonly extraJobs: readonly NewJob[] } | { readonly refusal: string };

/** Whether an event can be run again as it stands now, and with which jobs beside its old ones. */
const plan = async (parts: ReplayParts, event: StoredEvent, force: boolean): Promise<Plan> => {
  const refusal = event.state === "processed" && force ? undefined : refusals[event.state];
  if (refusal !== undefined) return { refusal };
  if (event.body === undefined) return { refusal: "its body is kept no longer" };
  // Its own jobs are made anew; of those that were done, some may have been deleted since.
  if (event.disposition === "accepted" && !force) return { extraJobs: [] };
  const provider = await parts.providers.find(event.provider);
  const data = payloadOf(provider, event.body);
  const takers = parts.handlers.filter((handler) => wants(handler, { ...event, data }));
  const fault =
    event.disposition === "quarantined" && provider !== undefined
      ? await faultOf(provider, { ...event, id: event.eventId, payload: data }, takers)
      : undefined;
  if (fault !== undefined) return { refusal: fault };
  if (takers.length === 0 && event.disposition !== "accepted") return { refusal: "no handler wants it" };
  return { extraJobs: eventJobs(parts.ports.telemetry, takers, { ...event, data }) };
};
