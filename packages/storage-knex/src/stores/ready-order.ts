/** How far the caller's time may be from the wall clock to be taken for it. Tests and simulations have times of their own. */
const maxDistanceMs = 60_000;

/**
 * The number by which ready jobs are claimed: microseconds since the epoch. Milliseconds would leave it to the ids which of two
 * jobs goes first that two processes store within the same one, and each process takes ids from a block of its own. Both
 * parts of the time come from one source, so the number never goes back within a process.
 */
export const readyOrderAt = (now: number): number => {
  const precise = performance.timeOrigin + performance.now();
  return Math.floor((Math.abs(precise - now) < maxDistanceMs ? precise : now) * 1000);
};
