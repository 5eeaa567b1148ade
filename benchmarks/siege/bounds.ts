import type { Outcome } from "./besiege.ts";

/** Highest resident memory of the server under any attack. */
export const peakMegabytes = 400;
/** The p99 that a healthy client may have, in milliseconds; on a slower or busier machine as many times more. */
const p99Ms = 1_000;
/** 8 s for requests and 8 s for jobs. */
const stopLimitMs = 16_000;

const allowedP99 = ({ slowness }: Outcome): number => p99Ms * slowness;

const isLate = (outcome: Outcome): boolean => outcome.client.p99 > allowedP99(outcome);

/** Whether the healthy client was refused or late, which a pause of the machine can cause. */
export const wasRefusedOrLate = (outcome: Outcome): boolean => outcome.client.refused > 0 || isLate(outcome);

const middle = (outcomes: readonly Outcome[], value: (outcome: Outcome) => number): Outcome | undefined =>
  outcomes.toSorted((a, b) => value(a) - value(b))[Math.floor(outcomes.length / 2)];

/**
 * What exceeds its bounds in the runs of one attack, one sentence each. In a run of three seconds the
 * p99 is the second-worst of about 120 requests, so a pause of the machine can decide it, or make the
 * server refuse. Therefore CI carries such an attack out twice more, and of the three runs the middle
 * p99 counts, and the middle number of refusals. Every other bound holds for each run.
 */
export const faultsOf = (outcomes: readonly Outcome[]): readonly string[] => {
  const faults = outcomes.flatMap(faultsOfEach);
  const late = middle(outcomes, ({ client, slowness }) => client.p99 / slowness);
  if (late !== undefined && isLate(late)) {
    const allowed = Math.round(allowedP99(late));
    faults.push(`${late.name} on ${late.database}: p99 is ${Math.round(late.client.p99)} ms, more than ${allowed}.`);
  }
  const refused = middle(outcomes, ({ client }) => client.refused);
  if (refused !== undefined && refused.client.refused > 0) {
    const { name, database, client } = refused;
    faults.push(`${name} on ${database}: ${client.refused} requests of the healthy client were refused.`);
  }
  return faults;
};

const faultsOfEach = ({ name, database, peakMemory, death, stopMs, report }: Outcome): readonly string[] => {
  const faults: string[] = [];
  const where = `${name} on ${database}`;
  if (death !== undefined) faults.push(`${where}: the server ${death}.`);
  if (peakMemory > peakMegabytes) faults.push(`${where}: ${Math.round(peakMemory)} MB, more than ${peakMegabytes}.`);
  if (report.fault !== undefined) faults.push(`${where}: ${report.fault}.`);
  if (stopMs > stopLimitMs) faults.push(`${where}: the server took ${Math.round(stopMs)} ms to stop.`);
  return faults;
};
