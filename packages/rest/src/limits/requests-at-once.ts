import { AppError, type Line } from "@postern/core";
import { createLine } from "@postern/core/internal";
import type { Clock } from "@postern/core/ports";

/**
 * This is enough for a page that loads a dozen things, and few enough that costly requests of one
 * user leave the database to others.
 */
export const defaultAtOnce = 4;

/** For each that runs, so many more of that user wait, in the order in which they arrived. */
const waitingForEach = 15;

/**
 * The line in which a user's requests wait until they may run: `running` at once. Its keys are users. They never wait
 * for each other; how many requests there are of all users is bounded where requests arrive.
 */
export const createRequestsAtOnce = (running: number, clock: Pick<Clock, "monotonic" | "after">): Line => {
  const waiting = waitingForEach * running;
  return createLine(
    {
      most: Number.POSITIVE_INFINITY,
      mostOfKey: running,
      waiting: Number.POSITIVE_INFINITY,
      waitingOfKey: waiting,
      refusal: () =>
        new AppError("rate_limited", {
          detail: `${running + waiting} of your requests are being answered already; wait for their answers.`,
          headers: { "retry-after": "1" },
        }),
    },
    clock,
  );
};
