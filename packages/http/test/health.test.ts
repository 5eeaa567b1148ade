import { describe, expect, test } from "vitest";
import { expectProblem } from "./support/problem.ts";
import { makeApp, serve } from "./support/serve.ts";

/** An app whose readiness is told by the test. */
const appWith = (checkReady: () => Promise<void>) => {
  const made = makeApp();
  return { ...made, app: { ...made.app, checkReady } };
};

describe("health", () => {
  test("lives and is ready", async () => {
    const { url } = await serve();
    for (const path of ["/health/live", "/health/ready"]) {
      const answer = await fetch(url + path);
      expect(answer.status).toBe(200);
      expect(await answer.json()).toEqual({ status: "ok" });
      expect(answer.headers.get("cache-control")).toBe("no-store");
      expect(answer.headers.has("api-version")).toBe(false);
    }
  });

  test("is not ready while the storage cannot be used, and does not say why", async () => {
    const { url } = await serve(
      {},
      appWith(() => Promise.reject(new Error("SQLITE_CANTOPEN /data/postern.db"))),
    );
    const answer = await fetch(`${url}/health/ready`);
    expect(answer.status).toBe(503);
    expect(answer.headers.has("retry-after")).toBe(true);
    expect(await answer.json()).toEqual({ status: "unavailable" });
    expect((await fetch(`${url}/health/live`)).status).toBe(200);
  });

  test("is not ready when the storage does not answer within a second", async () => {
    const { url } = await serve(
      {},
      appWith(() => new Promise(() => undefined)),
    );
    const started = performance.now();
    expect((await fetch(`${url}/health/ready`)).status).toBe(503);
    expect(performance.now() - started).toBeLessThan(3_000);
  });

  test("asks the storage once, however many ask at once, and never for liveness", async () => {
    let asked = 0;
    const { url } = await serve(
      {},
      appWith(async () => void asked++),
    );
    await Promise.all(Array.from({ length: 50 }, () => fetch(`${url}/health/live`)));
    expect(asked).toBe(0);
    await Promise.all(Array.from({ length: 50 }, () => fetch(`${url}/health/ready`)));
    expect(asked).toBe(1);
  });

  test("can only be read", async () => {
    const { url } = await serve();
    const answer = await fetch(`${url}/health/live`, { method: "POST" });
    await expectProblem(answer, "method_not_allowed");
    expect(answer.headers.get("allow")).toBe("GET, HEAD, OPTIONS");
    expect((await fetch(`${url}/health/ready`, { method: "OPTIONS" })).status).toBe(204);
  });
});
