import { uuidV7Source } from "../ids/uuid-v7.ts";
import type { Clock } from "../ports/clock.ts";
import type { Ids } from "../ports/ids.ts";
import type { Randomness } from "../ports/randomness.ts";
import { virtualClock } from "./memory-clock.ts";
import { seededRandomness } from "./memory-randomness.ts";

/** The same ids in every run, in order; pass the clock the rest runs under, so that ids tell its time. */
export const memoryIds = ({
  clock = virtualClock(),
  randomness = seededRandomness(1),
}: {
  readonly clock?: Clock;
  readonly randomness?: Randomness;
} = {}): Ids => uuidV7Source({ clock, randomness });
