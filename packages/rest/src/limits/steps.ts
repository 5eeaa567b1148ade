/** Work that can pause after each step and go on later. Nothing is lost or done twice. */
export type Steps<Result> = Generator<undefined, Result, undefined>;

/** Does all of the work at once. */
export const finish = <Result>(steps: Steps<Result>): Result => {
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
};
