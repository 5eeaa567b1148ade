import type { Clock } from "@postern/core";

/** Work that can pause after each step and go on later. Nothing is lost or done twice. */
export type Steps<Result> = Generator<undefined, Result, undefined>;

/** Does all of the work at once. */
export const finish = <Result>(steps: Steps<Result>): Result => {
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
};

/**
 * After this many milliseconds, other work gets a turn. A step that takes longer cannot be divided.
 */
const turnMs = 10;

/**
 * Does the work in short turns, and pauses after each for twice as long as it took. A request needs
 * several turns of the event loop, so a pause of one turn would make it wait for several of these.
 */
export const finishInTurns = async <Result>(clock: Clock, steps: Steps<Result>): Promise<Result> => {
  let begun = clock.monotonic();
  let step = steps.next();
  while (step.done !== true) {
    const workedMs = clock.monotonic() - begun;
    if (workedMs >= turnMs) {
      await new Promise<void>((resolve) => clock.after(2 * workedMs, resolve));
      begun = clock.monotonic();
    }
    step = steps.next();
  }
  return step.value;
};
