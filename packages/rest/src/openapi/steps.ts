import type { Clock } from "@postern/core";

/** Work that can be put down after each step and taken up again; nothing is lost or done twice in between. */
export type Steps<Result> = Generator<undefined, Result, undefined>;

/** Does all of it at once. */
export const finish = <Result>(steps: Steps<Result>): Result => {
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
};

/** After this much work the others get a turn; a step that is longer cannot be divided. */
const turnMs = 10;

/** Does it in short turns, between which everything else goes on. */
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
