import type { Outcome } from "./besiege.ts";

/** Highest resident memory of the server under any attack. */
const peakMegabytes = 400;
/** The p99 that a healthy client may have on a machine without other work, in milliseconds. */
const p99Ms = 250;
/** On a slower or busier machine: this many times its p99 without an attack. */
const timesQuiet = 10;

/** 8 s for requests and 8 s for jobs. */
const stopLimitMs = 16_000;

/** What exceeds its bounds in an outcome, one sentence each. */
export const faultsOf = (
  { name, database, client, peakMemory, death, stopMs, report }: Outcome,
  quiet: Outcome,
): readonly string[] => {
  const faults: string[] = [];
  const where = `${name} on ${database}`;
  if (death !== undefined) faults.push(`${where}: the server ${death}.`);
  if (peakMemory > peakMegabytes) faults.push(`${where}: ${Math.round(peakMemory)} MB, more than ${peakMegabytes}.`);
  if (client.refused > 0) faults.push(`${where}: ${client.refused} requests of the healthy client were refused.`);
  if (report.fault !== undefined) faults.push(`${where}: ${report.fault}.`);
  if (stopMs > stopLimitMs) faults.push(`${where}: the server took ${Math.round(stopMs)} ms to stop.`);
  const allowed = Math.max(p99Ms, timesQuiet * quiet.client.p99);
  if (client.p99 > allowed)
    faults.push(`${where}: p99 is ${Math.round(client.p99)} ms, more than ${Math.round(allowed)}.`);
  return faults;
};
