/**
 * How far the precise time may be from the wall clock, in ms. The wall clock counts whole
 * milliseconds.
 */
const mostDriftMs = 3;

let origin = performance.timeOrigin;

/**
 * The machine's time in microseconds since the epoch. All processes on one SQLite file share it. It
 * follows the wall clock when that is set.
 */
export const machineMicroseconds = (): number => {
  const wall = Date.now();
  if (Math.abs(origin + performance.now() - wall) > mostDriftMs) origin = wall - performance.now();
  return Math.floor((origin + performance.now()) * 1000);
};
