import type { Environment } from "../environment.ts";
import { AppError } from "../errors/index.ts";
import { maxAttemptsOf } from "../jobs/retry-policy.ts";
import type { StoredEvent } from "../ports/event-store.ts";
import { wants } from "./handler.ts";
import { faultOf, parsedJson } from "./quarantine.ts";

export interface Replayed {
  readonly id: number;
  /** How many jobs were made. */
  readonly jobs: number;
}

const refusals: Readonly<Partial<Record<StoredEvent["state"], string>>> = {
  received: "it is waiting to be processed",
  processing: "it is being processed",
  retrying: "it will be tried again by itself",
  processed: "it has been processed; say `force` to run it again",
};

/**
 * Runs a dead, ignored or quarantined event again; with `force` also one that has been processed.
 * @throws AppError `not_found`; `state_conflict` when its state does not allow it, when no handler wants it, or when it is still not what its
 *   sender's events are.
 */
export const replayEvent = async (
  environment: Environment,
  id: number,
  { force }: { readonly force: boolean },
): Promise<Replayed> => {
  const { storage, clock, wakeup } = environment.ports;
  const event = await storage.events.find(id);
  if (event === undefined) throw new AppError("not_found", { detail: "There is no such event." });
  const refusal = event.state === "processed" && force ? undefined : refusals[event.state];
  if (refusal !== undefined)
    throw new AppError("state_conflict", { detail: `Event ${id} cannot be replayed: ${refusal}.` });
  const jobs = await storage.events.replay(id, {
    includeDone: force,
    extraJobs: event.disposition === "accepted" ? [] : newJobs(environment, event),
    now: clock.now(),
  });
  wakeup.notify();
  return { id, jobs };
};

const newJobs = (environment: Environment, event: StoredEvent) => {
  const provider = environment.providers.get(event.provider);
  const fault =
    event.disposition === "quarantined" && provider !== undefined
      ? faultOf(provider, { ...event, id: event.eventId, payload: parsedJson(event.body) })
      : undefined;
  if (fault !== undefined) {
    throw new AppError("state_conflict", { detail: `Event ${event.id} cannot be replayed: ${fault}.` });
  }
  const takers = environment.handlers.filter((handler) => wants(handler, event));
  if (takers.length === 0) {
    throw new AppError("state_conflict", { detail: `Event ${event.id} cannot be replayed: no handler wants it.` });
  }
  return takers.map(({ name, retry }) => ({ kind: name, maxAttempts: maxAttemptsOf(retry) }));
};
