import { memoryFetcher, memoryTelemetry } from "@postern/core/memory";
import type { Alert } from "@postern/core/ports";
import { describe, expect, test } from "vitest";
import { alertJobName, logAlerts, webhookAlerts } from "../src/index.ts";

const url = "https://alerts.example/in/planted-secret";
const alert: Alert = { kind: "job.dead", text: "A job is dead.", details: { job_id: 7 } };
const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
};

describe("logAlerts", () => {
  test("writes an alert as an error with its kind", () => {
    const telemetry = memoryTelemetry();
    logAlerts(telemetry).raise(alert);
    expect(telemetry.entries).toEqual([
      { level: "error", message: "A job is dead.", fields: { alert: "job.dead", job_id: 7 }, error: undefined },
    ]);
  });
});

describe("webhookAlerts", () => {
  test("posts each alert as JSON, in order", async () => {
    const telemetry = memoryTelemetry();
    const fetcher = memoryFetcher({ [`POST ${url}`]: () => ({ status: 204 }) });
    const alerts = webhookAlerts({ url, fetcher, telemetry });
    alerts.raise(alert);
    alerts.raise({ ...alert, kind: "event.quarantined" });
    await settled();
    expect(fetcher.requests.map(({ body }) => JSON.parse(Buffer.from(body ?? []).toString()))).toEqual([
      alert,
      { ...alert, kind: "event.quarantined" },
    ]);
    expect(fetcher.requests[0]?.headers).toEqual({ "content-type": "application/json" });
    expect(telemetry.entries).toEqual([]);
    alerts.raise(alert);
    await settled();
    expect(fetcher.requests.length).toBe(3);
  });

  test("logs what the receiver did not take, without the receiver's URL", async () => {
    const telemetry = memoryTelemetry();
    webhookAlerts({ url, fetcher: memoryFetcher({ [url]: () => ({ status: 500 }) }), telemetry }).raise(alert);
    webhookAlerts({ url, fetcher: memoryFetcher({}), telemetry }).raise(alert);
    await settled();
    const reasons = telemetry.entries.map(({ fields }) => fields.undelivered);
    expect(new Set(reasons)).toEqual(new Set(["the receiver answered 500", "The target could not be reached"]));
    expect(JSON.stringify(telemetry.entries)).not.toContain("planted-secret");
  });

  test("gives what the receiver did not take to a later try, and logs what cannot be kept", async () => {
    const telemetry = memoryTelemetry();
    const kept: Alert[] = [];
    const fetcher = memoryFetcher({ [url]: () => ({ status: 302 }) });
    const alerts = webhookAlerts({ url, fetcher, telemetry, retryLater: async (one) => kept.push(one) });
    alerts.raise(alert);
    await settled();
    expect(kept).toEqual([alert]);
    expect(telemetry.entries).toMatchObject([{ level: "warn", fields: { reason: "the receiver answered 302" } }]);
    const full = () => Promise.reject(new Error("the disk is full"));
    webhookAlerts({ url, fetcher, telemetry, retryLater: full }).raise(alert);
    await settled();
    expect(telemetry.entries.at(-1)?.fields).toMatchObject({ undelivered: "the receiver answered 302" });
  });

  test("keeps what still waits when the process stops", async () => {
    const kept: string[] = [];
    let answer = (): void => undefined;
    const busy = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const fetcher = memoryFetcher({ [url]: () => busy.then(() => ({ status: 204 })) });
    const retryLater = async ({ kind }: Alert) => kept.push(kind);
    const alerts = webhookAlerts({ url, fetcher, telemetry: memoryTelemetry(), retryLater });
    alerts.raise(alert);
    alerts.raise({ ...alert, kind: "event.quarantined" });
    const closed = alerts.close();
    answer();
    await closed;
    expect([kept, fetcher.requests.length]).toEqual([["event.quarantined"], 1]);
  });

  test("calls private addresses, and writes alerts about its own jobs to the log alone", async () => {
    const telemetry = memoryTelemetry();
    const fetcher = memoryFetcher({ [url]: () => ({ status: 204 }) });
    const alerts = webhookAlerts({ url, fetcher, telemetry });
    alerts.raise({ ...alert, details: { kind: alertJobName } });
    alerts.raise(alert);
    await settled();
    expect(fetcher.requests).toMatchObject([{ allowPrivate: true }]);
    expect(telemetry.entries.map(({ fields }) => fields.undelivered)).toEqual(["it is about an alert"]);
  });

  test("lets no more than its queue wait", () => {
    const telemetry = memoryTelemetry();
    const fetcher = memoryFetcher({ [url]: () => new Promise<never>(() => undefined) });
    const alerts = webhookAlerts({ url, fetcher, telemetry, queue: 2 });
    for (let raised = 0; raised < 5; raised++) alerts.raise(alert);
    expect(fetcher.requests.length).toBe(1);
    expect(telemetry.entries.map(({ fields }) => fields.undelivered)).toEqual(
      Array(2).fill("too many alerts are waiting"),
    );
  });
});
