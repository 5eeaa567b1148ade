import type { Outcome } from "./besiege.ts";

/** Highest resident memory of the server under any attack. */
export const peakMegabytes = 400;
/** The p99 that a healthy client may have on a machine without other work, in milliseconds. */
const p99Ms = 1_000;
/** On a slower or busier machine: this many times its p99 without an attack. */
const timesQuiet = 10;

/** 8 s for requests and 8 s for jobs. */
const stopLimitMs = 16_000;

const allowedP99 = (quiet: Outcome): number => Math.max(p99Ms, timesQuiet * quiet.client.p99);

/** Whether the healthy client's p99 is above its bound. */
export const isLate = ({ client }: Outcome, quiet: Outcome): boolean => client.p99 > allowedP99(quiet);

/**
 * What exceeds its bounds in the runs of one attack, one sentence each. In a run of three seconds the
 * p99 is the second-worst of about 120 requests, so a pause of the machine can decide it. Therefore
 * CI runs an attack that is late twice more, and the middle p99 counts. Every other bound holds for
 * each run.
 */
export const faultsOf = (outcomes: readonly Outcome[], quiet: Outcome): readonly string[] => {
  const late = outcomes.toSorted((a, b) => a.client.p99 - b.client.p99)[Math.floor(outcomes.length / 2)];
  const faults = outcomes.flatMap(faultsOfEach);
  if (late === undefined || !isLate(late, quiet)) return faults;
  const { name, database, client } = late;
  const allowed = Math.round(allowedP99(quiet));
  return [...faults, `${name} on ${database}: p99 is ${Math.round(client.p99)} ms, more than ${allowed}.`];
};

const faultsOfEach = ({ name, database, client, peakMemory, death, stopMs, report }: Outcome): readonly string[] => {
  const faults: string[] = [];
  const where = `${name} on ${database}`;
  if (death !== undefined) faults.push(`${where}: the server ${death}.`);
  if (peakMemory > peakMegabytes) faults.push(`${where}: ${Math.round(peakMemory)} MB, more than ${peakMegabytes}.`);
  if (client.refused > 0) faults.push(`${where}: ${client.refused} requests of the healthy client were refused.`);
  if (report.fault !== undefined) faults.push(`${where}: ${report.fault}.`);
  if (stopMs > stopLimitMs) faults.push(`${where}: the server took ${Math.round(stopMs)} ms to stop.`);
  return faults;
};
