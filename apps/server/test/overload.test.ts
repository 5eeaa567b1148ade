import { join } from "node:path";
import { signRequest } from "@postern/webhook-verifier";
import { github } from "@postern/webhook-verifier/schemes/github";
import { expect, test, vi } from "vitest";
import { freePort } from "../../../test/free-port.ts";
import { readConfig, startServer } from "../src/index.ts";
import { temporaryDirectory } from "./server-process.ts";

/** Blocks everything else in this process, as a handler that computes does. */
const block = (ms: number): void => {
  const end = performance.now() + ms;
  while (performance.now() < end);
};

test("a server that cannot keep up refuses the API but not health checks and metrics, and serves again when it can", async () => {
  const metricsPort = await freePort();
  const variables = {
    DATABASE_URL: `sqlite:${join(temporaryDirectory(), "postern.db")}`,
    PORT: "0",
    LOG_LEVEL: "error",
    POSTERN_MAX_EVENT_LOOP_DELAY: "200",
    POSTERN_METRICS_PORT: String(metricsPort),
  };
  const written = vi.spyOn(process.stdout, "write");
  const server = await startServer(readConfig(variables, false), {});
  try {
    const get = async (path: string) => {
      const { status, headers } = await fetch(`${server.url}${path}`);
      return [status, headers.get("retry-after")];
    };
    await expect.poll(() => get("/api"), { timeout: 15_000 }).toEqual([200, null]);
    block(1000);
    expect(await get("/api")).toEqual([503, "1"]);
    expect(await get("/health/ready")).toEqual([200, null]);
    const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    expect(metrics).toMatch(/^event_loop_delay_ms [1-9]/m);
    expect(metrics).toContain('http_requests_refused_total{requests="api",reason="event_loop_delay"} 1');
    expect(written.mock.calls.filter(([line]) => String(line).includes("overloaded"))).toEqual([]);
    await expect.poll(() => get("/api"), { timeout: 15_000 }).toEqual([200, null]);
  } finally {
    await server.stop();
  }
});

test("the log names a request that blocks the event loop, and a metric shows for how long", async () => {
  const metricsPort = await freePort();
  const variables = {
    DATABASE_URL: `sqlite:${join(temporaryDirectory(), "postern.db")}`,
    PORT: "0",
    LOG_LEVEL: "warn",
    POSTERN_METRICS_PORT: String(metricsPort),
  };
  const schema = {
    "~standard": {
      version: 1,
      vendor: "slow",
      validate: (value: unknown) => {
        block(400);
        return { value };
      },
    },
  } as const;
  const secret = "a secret of a good length for this";
  const written = vi.spyOn(process.stdout, "write");
  const server = await startServer(readConfig(variables, false), {
    providers: { github: { secret, schemas: { slow: schema } } },
  });
  try {
    const deliver = async (type: string) => {
      const { headers, body } = await signRequest(github, { keys: secret, body: "{}", type, id: type });
      await fetch(`${server.url}/api/webhooks/github`, { method: "POST", headers, body: Buffer.from(body) });
    };
    const lines = () => written.mock.calls.map(([line]) => String(line)).filter((line) => line.includes("held up"));
    await deliver("quick");
    await deliver("slow");
    await expect.poll(lines, { timeout: 5_000 }).toHaveLength(1);
    expect(lines()[0]).toContain('"routes":"POST /api/webhooks/{provider}"');
    const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    expect(Number(/^event_loop_longest_turn_ms (\d+)/m.exec(metrics)?.[1])).toBeGreaterThanOrEqual(350);
  } finally {
    await server.stop();
  }
});
