import { AppError } from "@postern/core";
import { type Clock, createLine, type Line } from "@postern/core/parts";

export interface AtOnceLimit {
  /** How many requests of one user run at once. */
  readonly running: number;
  /**
   * How many more requests of that user wait until they may run, in the order in which they arrived.
   */
  readonly waiting: number;
}

/**
 * This is enough for a page that loads a dozen things, and few enough that costly requests of one
 * user leave the database to others.
 */
export const defaultAtOnce: AtOnceLimit = { running: 4, waiting: 60 };

/** For load tests. */
export const unboundedAtOnce: AtOnceLimit = { running: Number.POSITIVE_INFINITY, waiting: 0 };

/**
 * The line in which a user's requests wait until they may run. Its keys are users. They never wait
 * for each other; how many requests there are of all users is bounded where requests arrive.
 */
export const createRequestsAtOnce = (
  { running, waiting }: AtOnceLimit,
  clock: Pick<Clock, "monotonic" | "after">,
): Line =>
  createLine(
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
