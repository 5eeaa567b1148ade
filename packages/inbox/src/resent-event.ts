import type { EventState, SentAgain } from "@postern/core/ports";
import type { Provider } from "./provider.ts";
import { judgeReplay, type ReplayParts } from "./replay-event.ts";

/** The most jobs of an event that a resend runs again. */
const mostJobs = 100;

/**
 * Runs an event that was quarantined or ignored if it would be accepted today: the sender says once
 * more that it is meant. Of several resends at once, one makes its jobs. The stored body runs; if it
 * is gone, what was `sent` now is stored.
 */
const runMended = async (parts: ReplayParts, { name }: Provider, id: number, sent: SentAgain): Promise<void> => {
  const { storage, clock, telemetry, wakeup } = parts.ports;
  const event = await storage.events.find(id);
  if (event === undefined) return;
  const { body, headers, query, leftOut, covered } = sent;
  const meant = event.body === undefined ? { ...event, body, headers, query, leftOut, covered } : event;
  const found = await judgeReplay(parts, meant, false);
  if ("refusal" in found) return;
  const [jobs = 0] = await storage.events.replay([{ id, ...found, sent }], { includeDone: false, now: clock.now() });
  if (jobs === 0) return;
  telemetry.log("info", "an event was sent again, and what kept it from running is gone", {
    provider: name,
    event: id,
    jobs,
  });
  wakeup.notify();
};

/**
 * The state of an event that was sent again, if its jobs were given up; `undefined` for every other
 * repeat. One that was quarantined or ignored runs if its cause is gone, whatever `replayOnResend`
 * says. With `replayOnResend` of the provider, its dead jobs run again first, as `jobs retry`
 * runs them: of several resends at once, one makes the new jobs. A cancelled job stays cancelled,
 * and an overruled event stays dead, because somebody decided about them.
 */
export const stateOfResent = async (
  parts: ReplayParts,
  provider: Provider,
  id: number,
  sent: SentAgain,
): Promise<EventState | undefined> => {
  const { storage, clock, telemetry, wakeup } = parts.ports;
  const { name, replayOnResend } = provider;
  const { events, jobRecords } = storage;
  const stateNow = async (): Promise<EventState | undefined> =>
    (await events.list({ after: id - 1, before: id + 1, limit: 1 }))[0]?.state;
  const state = await stateNow();
  if (state === "quarantined" || state === "ignored") await runMended(parts, provider, id, sent);
  // Nearly every repeat ends here.
  if (state !== "dead" || replayOnResend !== true) return state === "dead" ? state : undefined;
  if ((await events.find(id))?.overruled !== undefined) return state;
  const dead = await jobRecords.list({ eventId: id, state, limit: mostJobs });
  let jobs = 0;
  for (const job of dead) if ((await jobRecords.retry(job.id, clock.now())) !== undefined) jobs += 1;
  if (jobs > 0) {
    telemetry.log("info", "a dead event was sent again, and runs again", { provider: name, event: id, jobs });
    wakeup.notify();
  }
  return stateNow();
};
