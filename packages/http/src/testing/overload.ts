import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { memoryTelemetry } from "@postern/core/memory";
import { makeApp, webhook } from "./app-under-test.ts";
import { reaches } from "./assertions.ts";
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
  "beyond the bound requests that may not wait are refused at once, and served again when others have their answer":
    async (trial) => {
      const made = makeApp();
      const gate = new EventEmitter();
      let held = 0;
      const app = {
        ...made.app,
        handle: async (request: Parameters<typeof made.app.handle>[0]) => {
          held += 1;
          if (held === 2) gate.emit("full");
          await once(gate, "open");
          return made.app.handle(request);
        },
      };
      const { url } = await trial.serve({ maxInFlight: 4 }, { ...made, app }, { placeWaitMs: 0 });
      const full = once(gate, "full");
      const waiting = [trial.fetch(`${url}/api`), trial.fetch(`${url}/api`)];
      await full;
      const refused = await trial.fetch(`${url}/api/v2/users`);
      await expectProblem(refused, "overloaded");
      assert.equal(refused.headers.get("retry-after"), "1");
      assert.equal((await trial.fetch(`${url}/health/live`)).status, 200);
      gate.emit("open");
      assert.deepEqual(
        (await Promise.all(waiting)).map(({ status }) => status),
        [200, 200],
      );
      const next = trial.fetch(`${url}/api`);
      await reaches(() => held, 3);
      gate.emit("open");
      assert.equal((await next).status, 200);
    },
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
  "a process that is late: serves again when it is less than half as late, so that it does not flip back and forth, and logs both changes":
    async (trial) => {
      const { at, telemetry } = await scene(trial, 100);
      const statuses: number[][] = [];
      for (const ms of [99, 100, 99, 50, 49, 99, 400, 200, 199, 49]) statuses.push((await at(ms)).statuses.slice(0, 2));
      assert.deepEqual(statuses, [
        [200, 200],
        [503, 200],
        [503, 200],
        [503, 200],
        [200, 200],
        [200, 200],
        [503, 503],
        [503, 503],
        [503, 200],
        [200, 200],
      ]);
      const changes = telemetry.entries.filter(({ level }) => level === "warn");
      assert.deepEqual(
        changes.map(({ message, fields }) => `${message} ${fields?.requests}`),
        [
          "overloaded: requests are refused api",
          "no longer overloaded api",
          "overloaded: requests are refused api",
          "overloaded: requests are refused webhook",
          "no longer overloaded webhook",
          "no longer overloaded api",
        ],
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
