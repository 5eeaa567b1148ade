import assert from "node:assert/strict";
import type { LogLevel, Telemetry } from "../ports/telemetry.ts";
import type { Contract } from "./contract.ts";

const levels: readonly LogLevel[] = ["debug", "info", "warn", "error"];

const circular = new Error("circular");
circular.cause = circular;

const hostile = Object.defineProperty({}, "message", {
  enumerable: true,
  get: () => {
    throw new Error("a getter that throws");
  },
});

const oddErrors: readonly unknown[] = [
  undefined,
  null,
  "text",
  7,
  7n,
  Symbol("odd"),
  () => 7,
  {},
  Object.create(null),
  circular,
  hostile,
  new Proxy({}, { get: () => assert.fail("a proxy that throws") }),
  new AggregateError([circular, "text"]),
];

export const telemetryContract: Contract<Telemetry> = {
  "logs on every level": async (telemetry) => {
    for (const level of levels) {
      telemetry.log(level, "without fields");
      telemetry.log(level, "with fields", { text: "a\nb", number: 1, yes: true, none: null, absent: undefined });
    }
  },
  "takes whatever was thrown": async (telemetry) => {
    for (const error of oddErrors) telemetry.log("error", "it failed", { attempt: 1 }, error);
  },
  "takes fields under reserved names": async (telemetry) => {
    telemetry.log("info", "odd names", {
      level: 1,
      time: 2,
      msg: "m",
      err: "e",
      pid: 3,
      hostname: "h",
      constructor: "c",
    });
  },
  "counts and measures": async (telemetry) => {
    telemetry.count("contract_events_total");
    telemetry.count("contract_events_total", { outcome: 'a "quoted"\nvalue\\' }, 5);
    telemetry.observe("contract_duration_ms", 12.5);
    telemetry.observe("contract_duration_ms", 0, { outcome: "ok" });
    telemetry.gauge("contract_waiting", 3, { queue: "default" });
    telemetry.gauge("contract_waiting", -1, { queue: "default" });
  },
  "takes numbers that are none": async (telemetry) => {
    for (const odd of [Number.NaN, Number.POSITIVE_INFINITY, -1]) {
      telemetry.count("contract_odd_total", {}, odd);
      telemetry.observe("contract_odd_ms", odd);
      telemetry.gauge("contract_odd", odd);
    }
  },
};
