import { setTimeout as sleep } from "node:timers/promises";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { type MetricDeclaration, type MetricKind, metricsCatalogue } from "./metrics-catalogue.ts";

type Labels = Readonly<Record<string, string>>;

interface Family {
  readonly kind: MetricKind;
  readonly metric: Counter | Gauge | Histogram;
  readonly labelNames: readonly string[];
  /** The labels of each series, by the text that they make together. */
  readonly series: Map<string, Labels>;
}

const mostSeries = 1_000;
const mostFamilies = 1_000;
const longestValue = 128;
const boundsMs = [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000];
const boundsBytes = [256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304];
const boundsPlain = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 10_000, 100_000];

const boundsFor = (name: string): number[] => {
  if (name.endsWith("_ms")) return [...boundsMs];
  if (name.endsWith("_seconds")) return boundsMs.map((bound) => bound / 1_000);
  return [...(name.endsWith("_bytes") ? boundsBytes : boundsPlain)];
};

const isName = (name: string): boolean => /^[A-Za-z_][A-Za-z0-9_]{0,127}$/.test(name);

const overflow = "overflow";
const overflowing: Labels = { [overflow]: "true" };
const unlabelled: Labels = {};

/** Histograms have the label `le` of their own, and metrics with too many series `overflow`. */
const isLabel = (name: string): boolean => isName(name) && name !== "le" && name !== overflow;

const familyOf = (
  name: string,
  { kind, help, labels, isUnknownAtFirst = false }: MetricDeclaration,
  registry: Registry,
): Family => {
  const labelNames = labels.length === 0 ? [] : [...labels, overflow];
  const settings = { name, help, labelNames, registers: [registry] };
  const made = (metric: Family["metric"]): Family => ({ kind, metric, labelNames: labels, series: new Map() });
  if (kind === "counter") return made(new Counter(settings));
  if (kind === "histogram") return made(new Histogram({ ...settings, buckets: boundsFor(name) }));
  const gauge = new Gauge(settings);
  if (isUnknownAtFirst) gauge.remove();
  return made(gauge);
};

/**
 * The labels of a series. Labels that the metric does not have are left out. Beyond 1,000 series of
 * a metric, all others share one, so that a label with an id in it cannot fill the memory.
 */
const seriesOf = ({ labelNames, series }: Family, labels: Labels): Labels => {
  if (labelNames.length === 0) return unlabelled;
  // The text that tells one series of a metric from the others.
  let key = "";
  for (const name of labelNames) key += `${labels[name]?.slice(0, longestValue) ?? ""}\n`;
  const known = series.get(key);
  if (known !== undefined) return known;
  if (series.size >= mostSeries) return overflowing;
  const made = Object.fromEntries(
    labelNames.flatMap((name) => {
      const value = labels[name];
      return value === undefined ? [] : [[name, value.slice(0, longestValue)]];
    }),
  );
  series.set(key, made);
  return made;
};

export interface Metrics {
  count(name: string, labels?: Labels, by?: number): void;
  observe(name: string, value: number, labels?: Labels): void;
  gauge(name: string, value: number, labels?: Labels): void;
  /**
   * Everything so far in the Prometheus text format 0.0.4, with the metrics of the process and of
   * Node. Those are collected from the first call on.
   */
  render(): Promise<string>;
}

/**
 * Counters, gauges and histograms of this process, kept by prom-client. Every metric of the
 * catalogue exists from the start. Other names begin with their first use, and keep the kind and
 * the labels of that use. Names that Prometheus would not accept, labels named `le` or `overflow`,
 * values that are not finite numbers and counts below 0 are ignored. At most 1,000 names and 1,000
 * series of each.
 */
export const createMetrics = (): Metrics => {
  const registry = new Registry();
  const families = new Map(
    Object.entries(metricsCatalogue).map(([name, declared]) => [name, familyOf(name, declared, registry)]),
  );

  const find = (kind: MetricKind, name: string, labels: Labels): Family | undefined => {
    const known = families.get(name);
    if (known !== undefined) return known.kind === kind ? known : undefined;
    if (!isName(name) || families.size >= mostFamilies) return undefined;
    const declared = { kind, help: "Not one of Postern's own.", labels: Object.keys(labels).filter(isLabel) };
    const made = familyOf(name, declared, registry);
    families.set(name, made);
    return made;
  };

  return {
    count: (name, labels = unlabelled, by = 1) => {
      if (!Number.isFinite(by) || by < 0) return;
      const family = find("counter", name, labels);
      if (family !== undefined) (family.metric as Counter).inc(seriesOf(family, labels), by);
    },
    observe: (name, value, labels = unlabelled) => {
      if (!Number.isFinite(value)) return;
      const family = find("histogram", name, labels);
      if (family !== undefined) (family.metric as Histogram).observe(seriesOf(family, labels), value);
    },
    gauge: (name, value, labels = unlabelled) => {
      if (!Number.isFinite(value)) return;
      const family = find("gauge", name, labels);
      if (family !== undefined) (family.metric as Gauge).set(seriesOf(family, labels), value);
    },
    render: async () => [await registry.metrics(), await nodeMetrics()].join("\n"),
  };
};

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
const nodeMetrics = async (): Promise<string> => {
  started ??= start();
  const text = await (await started).metrics();
  // While the event loop is held up, its monitor may not have ticked since the last reading.
  return text.replaceAll(/^\S+ nan\n/gim, "");
};
