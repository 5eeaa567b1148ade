import type { EventState } from "../ports/event-store.ts";
import type { Ports } from "../ports/index.ts";
import type { Provider } from "./provider.ts";

/** The most jobs of an event that a resend runs again. */
const mostJobs = 100;

/**
 * The state of an event that was sent again, if its jobs were given up; `undefined` for every other
 * repeat. With `replayOnResend` of the provider, its dead jobs run again first, as `jobs retry`
 * runs them: of several resends at once, one makes the new jobs. A cancelled job stays cancelled,
 * because somebody decided that.
 */
export const stateOfResent = async (
  { storage, clock, telemetry, wakeup }: Pick<Ports, "storage" | "clock" | "telemetry" | "wakeup">,
  { name, replayOnResend }: Provider,
  id: number,
): Promise<EventState | undefined> => {
  const { events, jobRecords } = storage;
  const stateNow = async (): Promise<EventState | undefined> =>
    (await events.list({ after: id - 1, before: id + 1, limit: 1 }))[0]?.state;
  // Nearly every repeat ends here. Some of these jobs may have been replaced, so they do not tell
  // the state.
  const dead = await jobRecords.list({ eventId: id, state: "dead", limit: mostJobs });
  if (dead.length === 0 || (await stateNow()) !== "dead") return undefined;
  if (replayOnResend !== true) return "dead";
  let jobs = 0;
  for (const job of dead) if ((await jobRecords.retry(job.id, clock.now())) !== undefined) jobs += 1;
  if (jobs > 0) {
    telemetry.log("info", "a dead event was sent again, and runs again", { provider: name, event: id, jobs });
    wakeup.notify();
  }
  return stateNow();
};
