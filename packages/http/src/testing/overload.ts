import assert from "node:assert/strict";
import { memoryTelemetry } from "@postern/core/memory";
import { webhook } from "./app-under-test.ts";
import type { Cases } from "./cases.ts";
import { expectProblem } from "./problem.ts";
import type { Trial } from "./trial.ts";

const scene = async (trial: Trial, maxEventLoopDelayMs?: number) => {
  const delay = { ms: 0 };
  const limit = maxEventLoopDelayMs === undefined ? {} : { maxEventLoopDelayMs };
  const telemetry = memoryTelemetry();
  const { url } = await trial.serve({ eventLoopDelayMs: () => delay.ms, telemetry, ...limit });
  let events = 0;
  const at = async (ms: number) => {
    delay.ms = ms;
    events += 1;
    const api = await trial.fetch(`${url}/api`);
    const event = await trial.fetch(
      `${url}/api/webhooks/acme`,
      await webhook('{"type":"a","data":{}}', `msg_${events}`),
    );
    const health = await trial.fetch(`${url}/health/live`);
    return { api, statuses: [api.status, event.status, health.status] };
  };
  return { at, url, telemetry };
};

export const overloadMessages: Cases = {
  "a process that is late: refuses requests of the API first, webhooks much later and health checks never": async (
    trial,
  ) => {
    const { at, telemetry } = await scene(trial);
    assert.deepEqual((await at(999)).statuses, [200, 200, 200]);
    const { api, statuses } = await at(1000);
    assert.deepEqual(statuses, [503, 200, 200]);
    await expectProblem(api, "overloaded");
    assert.equal(api.headers.get("retry-after"), "1");
    assert.deepEqual((await at(3999)).statuses, [503, 200, 200]);
    assert.deepEqual((await at(4000)).statuses, [503, 503, 200]);
    const refused = (requests: string) =>
      telemetry.counted("http_requests_refused_total", { requests, reason: "event_loop_delay" });
    assert.deepEqual([refused("api"), refused("webhook")], [3, 1]);
  },
  "a process that is late: is refused and served by how late it is at that moment, and logs once for many": async (
    trial,
  ) => {
    const { at, telemetry } = await scene(trial, 100);
    const statuses: number[][] = [];
    for (const ms of [99, 100, 99, 400, 399, 0]) statuses.push((await at(ms)).statuses.slice(0, 2));
    assert.deepEqual(statuses, [
      [200, 200],
      [503, 200],
      [200, 200],
      [503, 503],
      [503, 200],
      [200, 200],
    ]);
    assert.deepEqual(
      telemetry.entries.filter(({ level }) => level === "warn"),
      [],
    );
  },
  "a process that is late: reads no body of what it refuses": async (trial) => {
    const { at, url } = await scene(trial);
    await at(5000);
    const body = "x".repeat(2_000_000);
    const headers = { "content-type": "application/json" };
    for (const path of ["/api/v2/users", "/api/webhooks/acme"]) {
      await expectProblem(await trial.fetch(`${url}${path}`, { method: "POST", headers, body }), "overloaded");
    }
  },
  "a process that is late: refuses nothing if that is switched off": async (trial) => {
    const { at } = await scene(trial, 0);
    assert.deepEqual((await at(1e9)).statuses, [200, 200, 200]);
  },
};
