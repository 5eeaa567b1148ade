import type { Telemetry } from "@postern/core/ports";

type Attributes = Readonly<Record<string, string>>;

/** The part of `Meter` of `@opentelemetry/api` that is used; every version since 1.9 fits. */
export interface OpenTelemetryMeter {
  createCounter(name: string): { add(value: number, attributes?: Attributes): void };
  createHistogram(name: string, options?: { unit?: string }): { record(value: number, attributes?: Attributes): void };
  createGauge(name: string): { record(value: number, attributes?: Attributes): void };
}

const once = <Instrument>(make: (name: string) => Instrument): ((name: string) => Instrument) => {
  const made = new Map<string, Instrument>();
  return (name) => {
    const known = made.get(name) ?? make(name);
    made.set(name, known);
    return known;
  };
};

/**
 * Sends every metric to OpenTelemetry, too: `meter` is `metrics.getMeter("postern")` of
 * `@opentelemetry/api`, whose SDK, exporter and interval are the host's choice. Values that are not
 * finite numbers and counts below 0 are left out. Names are those of the Prometheus text. Whatever
 * the meter throws is ignored, so that no request fails because of a metric.
 */
export const withOpenTelemetry = <Kind extends Telemetry>(telemetry: Kind, meter: OpenTelemetryMeter): Kind => {
  const counter = once((name) => meter.createCounter(name));
  const histogram = once((name) => meter.createHistogram(name, name.endsWith("_ms") ? { unit: "ms" } : {}));
  const gauge = once((name) => meter.createGauge(name));
  const quietly = (send: () => void): void => {
    try {
      send();
    } catch {
      // Our own registry has counted it already.
    }
  };
  return {
    ...telemetry,
    count: (name, labels, by = 1) => {
      telemetry.count(name, labels, by);
      if (Number.isFinite(by) && by >= 0) quietly(() => counter(name).add(by, labels));
    },
    observe: (name, value, labels) => {
      telemetry.observe(name, value, labels);
      if (Number.isFinite(value)) quietly(() => histogram(name).record(value, labels));
    },
    gauge: (name, value, labels) => {
      telemetry.gauge(name, value, labels);
      if (Number.isFinite(value)) quietly(() => gauge(name).record(value, labels));
    },
  };
};
