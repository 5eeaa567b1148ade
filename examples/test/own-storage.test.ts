import { readFileSync } from "node:fs";
import {
  deprecatedUseStoreContract,
  migrationsContract,
  newEvent,
  rateLimitStoreContract,
  storageContracts,
} from "@postern/core/testing";
import { compose, defineConfig, readConfig } from "@postern/server";
import { describe, expect, test } from "vitest";
import { memoryAdapter } from "../own-storage/memory-adapter.ts";
import config from "../own-storage/postern.config.ts";
import { timedStorage } from "../own-storage/timed-storage.ts";

const quiet = { slowMs: 60_000, tell: () => undefined };
const fresh = () => timedStorage(memoryAdapter(), quiet);

for (const [port, contract] of Object.entries(storageContracts)) {
  describe(`timedStorage keeps the contract of ${port}`, () => {
    for (const [promise, keep] of Object.entries(contract)) test(promise, () => keep(fresh().storage));
  });
}

describe("timedStorage keeps the other contracts", () => {
  for (const [promise, keep] of Object.entries(migrationsContract)) {
    test(promise, () => {
      const adapter = fresh();
      return keep({ open: () => adapter });
    });
  }
  for (const [promise, keep] of Object.entries(rateLimitStoreContract)) test(promise, () => keep(fresh().rateLimits));
  for (const [promise, keep] of Object.entries(deprecatedUseStoreContract)) {
    test(promise, () => keep(fresh().deprecatedUses));
  }
});

test("a server stores in the storage of its configuration, and in nothing else", async () => {
  const told: number[] = [];
  const storage = timedStorage(memoryAdapter(), { slowMs: 0, tell: (ms) => told.push(ms) });
  const environment = { POSTERN_SECRET_KEY: Buffer.alloc(32, 7).toString("base64"), LOG_LEVEL: "error" };
  const composition = await compose(readConfig(environment, false), defineConfig({ storage }));
  expect(await composition.migrate()).toEqual([]);
  await composition.storage.transaction(({ events }) => events.accept([newEvent("evt_1")]));
  expect(await storage.storage.events.list({ limit: 9 })).toHaveLength(1);
  expect(told).toHaveLength(1);
  expect(await composition.database.inspect()).toEqual({ driver: "the storage of the configuration" });
  await composition.close();
});

test("a server without a secret key refuses a storage of its configuration", async () => {
  await expect(compose(readConfig({ LOG_LEVEL: "error" }, false), config)).rejects.toThrow(
    "POSTERN_SECRET_KEY must be set",
  );
});

test.each(["memory-adapter", "timed-storage", "postern.config"])("%s stands in docs/adapters.md as it is", (name) => {
  const page = readFileSync(new URL("../../docs/adapters.md", import.meta.url), "utf8");
  const source = readFileSync(new URL(`../own-storage/${name}.ts`, import.meta.url), "utf8");
  expect(page).toContain(`\`\`\`ts\n${source}\`\`\``);
});
