/**
 * What names an event or a job for services outside: its number and the time at which it was stored. A
 * number may come back after a failover that lost the last commits, or after a restore. Then it is
 * another event, and services that drop repeats must not take it for the first.
 */
export const outsideName = (what: string, id: number | string, storedAt: number): string => `${what}-${id}-${storedAt}`;
