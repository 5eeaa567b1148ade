import type { LogFields, LogLevel, Telemetry } from "../ports/telemetry.ts";

export interface LogEntry {
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: LogFields;
  readonly error: unknown;
}

type Labels = Readonly<Record<string, string>>;

export interface MemoryTelemetry extends Telemetry {
  /** The newest 10,000 log entries, oldest first. */
  readonly entries: readonly LogEntry[];
  /** The value of a counter with exactly these labels; 0 if nothing was counted. */
  counted(name: string, labels?: Labels): number;
  /** The newest 1,000 measurements with exactly these labels, oldest first. */
  observed(name: string, labels?: Labels): readonly number[];
  /** The last value of a gauge with exactly these labels. */
  gauged(name: string, labels?: Labels): number | undefined;
}

const keyOf = (name: string, labels: Labels = {}): string =>
  JSON.stringify([name, ...Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1))]);

const pushBounded = <Item>(list: Item[], item: Item, limit: number): void => {
  list.push(item);
  if (list.length > limit) list.shift();
};

/** Keeps log and metrics so that you can look at them. */
export const memoryTelemetry = (): MemoryTelemetry => {
  const entries: LogEntry[] = [];
  const counters = new Map<string, number>();
  const measurements = new Map<string, number[]>();
  const gauges = new Map<string, number>();
  return {
    entries,
    counted: (name, labels) => counters.get(keyOf(name, labels)) ?? 0,
    observed: (name, labels) => measurements.get(keyOf(name, labels)) ?? [],
    gauged: (name, labels) => gauges.get(keyOf(name, labels)),
    gauge: (name, value, labels) => void gauges.set(keyOf(name, labels), value),
    log: (level, message, fields = {}, error = undefined) =>
      pushBounded(entries, { level, message, fields, error }, 10_000),
    withoutSecrets: (line) => line,
    count: (name, labels, by = 1) => {
      const key = keyOf(name, labels);
      counters.set(key, (counters.get(key) ?? 0) + by);
    },
    observe: (name, value, labels) => {
      const key = keyOf(name, labels);
      const list = measurements.get(key) ?? [];
      measurements.set(key, list);
      pushBounded(list, value, 1_000);
    },
  };
};
