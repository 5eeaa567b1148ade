import type { Clock } from "@postern/core";

/** Work that can pause after each step and go on later. Nothing is lost or done twice. */
export type Steps<Result> = Generator<undefined, Result, undefined>;

/** Does all of the work at once. */
export const finish = <Result>(steps: Steps<Result>): Result => {
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
};

/** After so many milliseconds, other work gets a turn. A longer step cannot be divided. */
const turnMs = 10;

/** Does the work in short turns, so that everything else goes on in between. */
export const finishInTurns = async <Result>(clock: Clock, steps: Steps<Result>): Promise<Result> => {
  let begun = clock.monotonic();
  let step = steps.next();
  while (step.done !== true) {
    if (clock.monotonic() - begun >= turnMs) {
      await new Promise<void>((resolve) => clock.after(0, resolve));
      begun = clock.monotonic();
    }
    step = steps.next();
  }
  return step.value;
};
