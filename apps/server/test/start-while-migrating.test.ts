import { EventEmitter, once } from "node:events";
import { memoryPorts } from "@postern/core/memory";
import { defineConfig, readConfig, startServer } from "@postern/server";
import { expect, test } from "vitest";
import { freePort } from "../../../test/free-port.ts";

/** A server that migrates until the test says `done`, or `error`. */
const migrating = async (options: { readonly listensAfterMs?: number } = { listensAfterMs: 0 }) => {
  const { storage, rateLimits, deprecatedUses, liveness } = memoryPorts();
  const migration = new EventEmitter();
  const latest = async (): Promise<readonly string[]> => {
    const ended = once(migration, "done");
    migration.emit("begun");
    await ended;
    return [];
  };
  const adapter = { storage, rateLimits, deprecatedUses, liveness, isShared: false, migrate: { latest } };
  const port = await freePort();
  const environment = {
    POSTERN_SECRET_KEY: Buffer.alloc(32, 7).toString("base64"),
    LOG_LEVEL: "error",
    PORT: String(port),
    // After a start that has failed, no load balancer is to find out.
    POSTERN_DRAIN_DELAY: "100000",
  };
  const begun = once(migration, "begun");
  const close = async (): Promise<void> => undefined;
  const starts = startServer(readConfig(environment, false), defineConfig({ storage: { ...adapter, close } }), options);
  await begun;
  const status = async (path: string, init?: RequestInit): Promise<number> =>
    (await fetch(`http://127.0.0.1:${port}${path}`, init)).status;
  return { starts, migration, status };
};

test("while a server migrates, it is alive and not ready, and refuses what it could not store", async () => {
  const { starts, migration, status } = await migrating();
  await expect.poll(() => status("/health/live").catch(() => 0)).toBe(200);
  expect(await status("/health/ready")).toBe(503);
  expect(await status("/api/v2/users")).toBe(503);
  expect(await status("/api/webhooks/github", { method: "POST", body: "{}" })).toBe(503);
  migration.emit("done");
  await starts;
  // What was found a moment ago may be told for a second.
  await expect.poll(() => status("/health/ready"), { timeout: 5_000 }).toBe(200);
  expect(await status("/api/v2/users")).toBe(401);
});

test("a server that starts as quickly as usual listens only when it can take requests", async () => {
  const { starts, migration, status } = await migrating({});
  await expect(status("/health/live")).rejects.toThrow("fetch failed");
  migration.emit("done");
  await starts;
  expect(await status("/api/v2/users")).toBe(401);
});

test("a server whose migration fails stops listening at once", async () => {
  const { starts, migration, status } = await migrating();
  await expect.poll(() => status("/health/live").catch(() => 0)).toBe(200);
  migration.emit("error", new Error("the table is locked"));
  await expect(starts).rejects.toThrow("the table is locked");
  await expect(status("/health/live")).rejects.toThrow("fetch failed");
});

test("a server beside others on one port listens only when it can take requests", async () => {
  const { starts, migration, status } = await migrating({ listensAfterMs: Number.POSITIVE_INFINITY });
  await expect(status("/health/live")).rejects.toThrow("fetch failed");
  migration.emit("done");
  await starts;
  expect(await status("/api/v2/users")).toBe(401);
});
