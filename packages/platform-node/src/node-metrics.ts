import { setTimeout as sleep } from "node:timers/promises";
import { collectDefaultMetrics, Registry } from "prom-client";

/**
 * How often Node looks how late the event loop is. At prom-client's own 10 ms, an idle process
 * spends twice as much on it as at this.
 */
const eventLoopMonitoringPrecision = 20;

let started: Promise<Registry> | undefined;

const start = async (): Promise<Registry> => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision });
  // The monitor of the event loop has its first delay after its second tick.
  await sleep(3 * eventLoopMonitoringPrecision);
  return registry;
};

/**
 * The metrics of the process and of Node in the Prometheus text format, under the names that
 * prom-client gives them. There is one registry in a process, whatever reads it. It is made at the
 * first reading, so that a process whose metrics nobody reads does not watch its event loop and
 * its garbage collections for them. Values that are no numbers are left out.
 */
export const nodeMetrics = async (): Promise<string> => {
  started ??= start();
  const text = await (await started).metrics();
  // While the event loop is held up, its monitor may not have ticked since the last reading.
  return text.replaceAll(/^\S+ nan\n/gim, "");
};
