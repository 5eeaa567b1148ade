import assert from "node:assert/strict";
import { AppError } from "@postern/core";
import { makeApp } from "./app-under-test.ts";
import type { Cases } from "./cases.ts";
import { expectProblem } from "./problem.ts";

/** An app whose readiness the test decides. */
const appWith = (checkReady: () => Promise<void>) => {
  const made = makeApp();
  return { ...made, app: { ...made.app, checkReady } };
};

export const healthMessages: Cases = {
  "health: live and ready both answer 200": async (trial) => {
    const { url } = await trial.serve();
    for (const path of ["/health/live", "/health/ready"]) {
      const answer = await trial.fetch(url + path);
      assert.equal(answer.status, 200);
      assert.deepEqual(await answer.json(), { status: "ok" });
      assert.equal(answer.headers.get("cache-control"), "no-store");
      assert.equal(answer.headers.has("api-version"), false);
    }
  },
  "health: is not ready while the storage cannot be used, and does not say why": async (trial) => {
    const { url } = await trial.serve(
      {},
      appWith(() => Promise.reject(new Error("SQLITE_CANTOPEN /data/postern.db"))),
    );
    const answer = await trial.fetch(`${url}/health/ready`);
    assert.equal(answer.status, 503);
    assert.ok(answer.headers.has("retry-after"));
    assert.deepEqual(await answer.json(), { status: "unavailable" });
    assert.equal((await trial.fetch(`${url}/health/live`)).status, 200);
  },
  "health: is not ready while the disk is full, and says so": async (trial) => {
    const { url } = await trial.serve(
      {},
      appWith(() => Promise.reject(new AppError("storage_full"))),
    );
    const answer = await trial.fetch(`${url}/health/ready`);
    assert.equal(answer.status, 503);
    assert.deepEqual(await answer.json(), { status: "unavailable", cause: "storage_full" });
  },
  "health: is not ready when the storage does not answer within a second": async (trial) => {
    const { url } = await trial.serve(
      {},
      appWith(() => new Promise(() => undefined)),
    );
    const started = performance.now();
    assert.equal((await trial.fetch(`${url}/health/ready`)).status, 503);
    assert.ok(performance.now() - started < 3_000);
  },
  "health: asks the storage once, however many ask at once, and never for liveness": async (trial) => {
    let asked = 0;
    const { url } = await trial.serve(
      {},
      appWith(async () => void asked++),
    );
    await Promise.all(Array.from({ length: 50 }, () => trial.fetch(`${url}/health/live`)));
    assert.equal(asked, 0);
    await Promise.all(Array.from({ length: 50 }, () => trial.fetch(`${url}/health/ready`)));
    assert.equal(asked, 1);
  },
  "health: can only be read": async (trial) => {
    const { url } = await trial.serve();
    const answer = await trial.fetch(`${url}/health/live`, { method: "POST" });
    await expectProblem(answer, "method_not_allowed");
    assert.equal(answer.headers.get("allow"), "GET, HEAD, OPTIONS");
    assert.equal((await trial.fetch(`${url}/health/ready`, { method: "OPTIONS" })).status, 204);
  },
};
