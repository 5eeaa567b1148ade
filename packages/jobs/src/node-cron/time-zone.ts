const quarterMs = 15 * 60_000;
const dayMs = 24 * 60 * 60_000;
/** No zone changes its clocks twice within so many days. */
const stepMs = 7 * dayMs;

/** How far the clocks of a place are ahead of UTC, in milliseconds, and when that changes. */
export interface TimeZone {
  offsetAt(time: number): number;
  /** The first time after `time` with another offset; `until` or later if there is none before. */
  changeAfter(time: number, until: number): number;
}

const utc: TimeZone = { offsetAt: () => 0, changeAfter: () => Number.POSITIVE_INFINITY };

const sign = (text: string | undefined): number => (text === "-" ? -1 : 1);

/**
 * Reads a time zone with `Intl`. Clocks change at full quarters of an hour of UTC.
 * @throws RangeError if the zone is unknown.
 */
export const timeZoneOf = (timeZone: string): TimeZone => {
  // Node loads its time zones with the first formatter. A process with all schedules in UTC should
  // not wait for that.
  if (timeZone === "UTC") return utc;
  const format = new Intl.DateTimeFormat("en", { timeZone, timeZoneName: "longOffset" });
  const offsetAt = (time: number): number => {
    const [, ahead, hours = 0, minutes = 0] = /GMT([+-])(\d\d):(\d\d)/.exec(format.format(time)) ?? [];
    return sign(ahead) * (Number(hours) * 60 + Number(minutes)) * 60_000;
  };
  return {
    offsetAt,
    changeAfter: (time, until) => {
      const offset = offsetAt(time);
      let same = time - (time % quarterMs);
      let other = same;
      do {
        if (other >= until) return other;
        same = other;
        other += stepMs;
      } while (offsetAt(other) === offset);
      while (other - same > quarterMs) {
        const half = same + Math.floor((other - same) / 2 / quarterMs) * quarterMs;
        if (offsetAt(half) === offset) same = half;
        else other = half;
      }
      return other;
    },
  };
};
