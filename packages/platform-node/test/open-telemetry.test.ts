import { metrics } from "@opentelemetry/api";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import { memoryTelemetry } from "@postern/core/memory";
import { telemetryContract } from "@postern/core/testing";
import { describe, expect, test } from "vitest";
import { withOpenTelemetry } from "../src/index.ts";

/** OpenTelemetry's own SDK, exporting into memory. */
const sdk = () => {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
  const provider = new MeterProvider({ readers: [reader] });
  return {
    meter: provider.getMeter("postern"),
    exported: async () => {
      await provider.forceFlush();
      const found =
        exporter
          .getMetrics()
          .at(-1)
          ?.scopeMetrics.flatMap((scope) => scope.metrics) ?? [];
      return new Map(found.map(({ descriptor, dataPoints }) => [descriptor.name, dataPoints]));
    },
    end: () => provider.shutdown(),
  };
};

describe("withOpenTelemetry", () => {
  for (const [promise, keep] of Object.entries(telemetryContract)) {
    test(`keeps the contract of Telemetry: ${promise}`, async () => {
      const { meter, end } = sdk();
      await keep(withOpenTelemetry(memoryTelemetry(), meter));
      await end();
    });
  }

  test("sends counters, histograms and gauges with their labels, and still counts in our own registry", async () => {
    const { meter, exported, end } = sdk();
    const memory = memoryTelemetry();
    const telemetry = withOpenTelemetry(memory, meter);
    telemetry.count("webhooks_received", { provider: "stripe" });
    telemetry.count("webhooks_received", { provider: "stripe" }, 2);
    telemetry.observe("inbox_commit_ms", 3.5);
    telemetry.gauge("jobs_waiting", 7, { queue: "default" });
    telemetry.gauge("jobs_waiting", 5, { queue: "default" });
    telemetry.count("webhooks_received", {}, Number.NaN);
    const found = await exported();
    expect(found.get("webhooks_received")).toMatchObject([{ attributes: { provider: "stripe" }, value: 3 }]);
    expect(found.get("inbox_commit_ms")).toMatchObject([{ value: { count: 1, sum: 3.5 } }]);
    expect(found.get("jobs_waiting")).toMatchObject([{ attributes: { queue: "default" }, value: 5 }]);
    expect(memory.counted("webhooks_received", { provider: "stripe" })).toBe(3);
    expect(memory.gauged("jobs_waiting", { queue: "default" })).toBe(5);
    await end();
  });

  test("takes the API's own meter, with or without an SDK, and a meter that throws", () => {
    const telemetry = withOpenTelemetry(memoryTelemetry(), metrics.getMeter("postern"));
    telemetry.count("webhooks_received");
    telemetry.gauge("jobs_waiting", 1);
    const broken = () => {
      throw new Error("no instrument");
    };
    const memory = memoryTelemetry();
    withOpenTelemetry(memory, { createCounter: broken, createHistogram: broken, createGauge: broken }).count("a");
    expect(memory.counted("a")).toBe(1);
  });
});
