import type { Clock } from "../ports/clock.ts";
import type { Ids } from "../ports/ids.ts";
import type { Randomness } from "../ports/randomness.ts";

const lastTimestamp = 2 ** 48 - 1;
const counterLimit = 2 ** 42;
/** The upper 12 bits of the counter are in rand_a, the lower 30 in rand_b. */
const lowerCounter = 2 ** 30;

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, "0");

/** The first `count` bytes as one big-endian number; at most six, so that it is exact. */
const numberFrom = (bytes: Uint8Array, count: number): number =>
  bytes.subarray(0, count).reduce((number, byte) => number * 256 + byte, 0);

/**
 * Makes UUIDv7 ids (RFC 9562, section 5.7). Each is greater than all before it. Within a
 * millisecond, a 42-bit counter that starts at a random value ensures this (section 6.2, method 1).
 * If the clock is behind the time of the newest id, the next id has the same time and a higher
 * counter. If the counter runs over, the time moves one millisecond ahead of the clock. Every id
 * has 32 random bits, so ids that different instances make in the same millisecond differ. Ids are
 * not secrets.
 */
export const uuidV7Source = ({
  clock,
  randomness,
}: {
  readonly clock: Clock;
  readonly randomness: Randomness;
}): Ids => {
  let timestamp = -1;
  let counter = 0;

  // The counter starts in its lower half, which leaves at least 2^41 ids before it runs over.
  const startAt = (time: number): void => {
    timestamp = time;
    counter = numberFrom(randomness.bytes(6), 6) % (counterLimit / 2);
  };

  return {
    uuid: () => {
      const now = Math.min(Math.max(Math.floor(clock.now()), 0), lastTimestamp);
      if (now > timestamp) startAt(now);
      else if (++counter === counterLimit) startAt(timestamp + 1);

      const time = hex(timestamp, 12);
      const lower = counter % lowerCounter;
      const randA = hex(Math.floor(counter / lowerCounter), 3);
      const variantAndCounter = hex(0x8000 + Math.floor(lower / 2 ** 16), 4);
      const tail = hex(lower % 2 ** 16, 4) + hex(numberFrom(randomness.bytes(4), 4), 8);
      return `${time.slice(0, 8)}-${time.slice(8)}-7${randA}-${variantAndCounter}-${tail}`;
    },
  };
};
