import type { Clock } from "@postern/core/parts";

/** The rounds in which requests begin if they must leave time for others; see `rests` of a fair room. */
export interface Rounds {
  /** Whether a request may begin now. */
  readonly isOpen: boolean;
  /** Call it when requests have begun. No other may join their round any more. */
  begun(): void;
  /** Call it when all that had begun are done. It calls `next` when others may begin. */
  ended(next: () => void): void;
}

/** Every request may begin at any time. */
export const noRounds: Rounds = { isOpen: true, begun: () => undefined, ended: () => undefined };

/** A round is followed by a rest as long as itself, at most `mostRestMs`. */
export const createRounds = (mostRestMs: number, clock: Pick<Clock, "monotonic" | "after">): Rounds => {
  let isOpen = true;
  let begunMs = 0;
  return {
    get isOpen() {
      return isOpen;
    },
    begun: () => {
      isOpen = false;
      begunMs = clock.monotonic();
    },
    ended: (next) => {
      const restMs = Math.min(clock.monotonic() - begunMs, mostRestMs);
      const open = (): void => {
        isOpen = true;
        next();
      };
      if (restMs <= 0) open();
      else clock.after(restMs, open);
    },
  };
};
