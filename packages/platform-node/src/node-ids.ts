import { uuidV7Source } from "@postern/core/internal";
import type { Clock, Ids, Randomness } from "@postern/core/ports";
import { nodeRandomness } from "./node-randomness.ts";
import { systemClock } from "./system-clock.ts";

/**
 * UUIDv7 by the machine's time and randomness. Make one per process, because only the ids of one
 * instance are in strict order.
 */
export const nodeIds = ({
  clock = systemClock(),
  randomness = nodeRandomness(),
}: {
  readonly clock?: Clock;
  readonly randomness?: Randomness;
} = {}): Ids => uuidV7Source({ clock, randomness });
