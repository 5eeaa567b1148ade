import { EventEmitter, once } from "node:events";
import { memoryTelemetry } from "@postern/core/memory";
import { describe, expect, test } from "vitest";
import { createHttpServer } from "../src/node/index.ts";
import { expectProblem } from "./support/problem.ts";
import { makeApp, serve, webhook } from "./support/serve.ts";

test("beyond the bound requests are refused at once, and served again when others have their answer", async () => {
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
  const { url } = await serve({ maxInFlight: 2, maxInFlightPerAddress: 2 }, { ...made, app });
  const full = once(gate, "full");
  const waiting = [fetch(`${url}/api`), fetch(`${url}/api`)];
  await full;
  const refused = await fetch(`${url}/api/v2/users`);
  await expectProblem(refused, "overloaded");
  expect(refused.headers.get("retry-after")).toBe("1");
  expect((await fetch(`${url}/health/live`)).status).toBe(200);
  gate.emit("open");
  expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200]);
  const next = fetch(`${url}/api`);
  await expect.poll(() => held, { timeout: 10_000 }).toBe(3);
  gate.emit("open");
  expect((await next).status).toBe(200);
});

describe("a process that is late", () => {
  const scene = async (maxEventLoopDelayMs?: number) => {
    const delay = { ms: 0 };
    const limit = maxEventLoopDelayMs === undefined ? {} : { maxEventLoopDelayMs };
    const telemetry = memoryTelemetry();
    const { url } = await serve({ eventLoopDelayMs: () => delay.ms, telemetry, ...limit });
    let events = 0;
    const at = async (ms: number) => {
      delay.ms = ms;
      events += 1;
      const api = await fetch(`${url}/api`);
      const event = await fetch(`${url}/api/webhooks/acme`, await webhook('{"type":"a"}', `msg_${events}`));
      const health = await fetch(`${url}/health/live`);
      return { api, statuses: [api.status, event.status, health.status] };
    };
    return { at, url, telemetry };
  };

  test("refuses requests of the API first, webhooks much later and health checks never", async () => {
    const { at, telemetry } = await scene();
    expect((await at(999)).statuses).toEqual([200, 200, 200]);
    const { api, statuses } = await at(1000);
    expect(statuses).toEqual([503, 200, 200]);
    await expectProblem(api, "overloaded");
    expect(api.headers.get("retry-after")).toBe("1");
    expect((await at(3999)).statuses).toEqual([503, 200, 200]);
    expect((await at(4000)).statuses).toEqual([503, 503, 200]);
    const refused = (requests: string) =>
      telemetry.counted("http_requests_refused_total", { requests, reason: "event_loop_delay" });
    expect([refused("api"), refused("webhook")]).toEqual([3, 1]);
  });

  test("serves again when it is less than half as late, so that it does not waver, and says both", async () => {
    const { at, telemetry } = await scene(100);
    const statuses: number[][] = [];
    for (const ms of [99, 100, 99, 50, 49, 99, 400, 200, 199, 49]) statuses.push((await at(ms)).statuses.slice(0, 2));
    expect(statuses).toEqual([
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
    expect(changes.map(({ message, fields }) => `${message} ${fields?.requests}`)).toEqual([
      "overloaded: requests are refused api",
      "no longer overloaded api",
      "overloaded: requests are refused api",
      "overloaded: requests are refused webhook",
      "no longer overloaded webhook",
      "no longer overloaded api",
    ]);
  });

  test("reads no body of what it refuses", async () => {
    const { at, url } = await scene();
    await at(5000);
    const body = "x".repeat(2_000_000);
    const headers = { "content-type": "application/json" };
    for (const path of ["/api/v2/users", "/api/webhooks/acme"]) {
      await expectProblem(await fetch(`${url}${path}`, { method: "POST", headers, body }), "overloaded");
    }
  });

  test("refuses nothing where that is switched off", async () => {
    const { at } = await scene(0);
    expect((await at(1e9)).statuses).toEqual([200, 200, 200]);
    expect(() => createHttpServer(makeApp().app, { maxEventLoopDelayMs: -1 })).toThrow("maxEventLoopDelayMs");
  });
});
