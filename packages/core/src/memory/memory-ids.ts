import { uuidV7Source } from "../ids/uuid-v7.ts";
import type { Clock } from "../ports/clock.ts";
import type { Ids } from "../ports/ids.ts";
import type { Randomness } from "../ports/randomness.ts";
import { virtualClock } from "./memory-clock.ts";
import { seededRandomness } from "./memory-randomness.ts";

/**
 * Makes the same ids in every run, in order. Pass the clock that the rest uses, so that the ids
 * contain its time.
 */
export const memoryIds = ({
  clock = virtualClock(),
  randomness = seededRandomness(1),
}: {
  readonly clock?: Clock;
  readonly randomness?: Randomness;
} = {}): Ids => uuidV7Source({ clock, randomness });
