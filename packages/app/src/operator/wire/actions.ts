import { eventActions, includesState, mayCancel, mayRetry } from "@postern/core/internal";
import type { EventSummary, Job } from "@postern/core/ports";
import type { EngineCall } from "@postern/rest";
import { z } from "zod";

/** The scopes of the operations that change jobs and events. */
export const jobScope = "jobs:write";
export const eventScope = "events:replay";

/** What the caller may do with a job or an event. */
export const actions = z.array(z.string()).meta({
  description:
    "The ids of the operations that its state and your scopes allow. Each operation decides again when you call it.",
});

type Caller = Pick<EngineCall, "may">;

export const actionsOfJob = (caller: Caller, job: Job): string[] =>
  caller.may(jobScope)
    ? [...(mayRetry(job) ? ["admin.jobs.retry"] : []), ...(mayCancel(job) ? ["admin.jobs.cancel"] : [])]
    : [];

export const actionsOfEvent = (caller: Caller, { state, bodyKept }: EventSummary): string[] =>
  caller.may(eventScope)
    ? [
        ...(bodyKept && includesState(eventActions.replay, state) ? ["admin.events.replay"] : []),
        ...(includesState(eventActions.discard, state) ? ["admin.events.discard"] : []),
      ]
    : [];
