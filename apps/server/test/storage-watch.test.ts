import { memoryAlerts, memoryTelemetry } from "@postern/core/memory";
import { expect, test } from "vitest";
import { createStorageWatch, storageWarnings } from "../src/storage-watch.ts";

const { leastFreeBytes, largestWalBytes } = storageWarnings;

const watched = () => {
  const facts: { freeBytes?: number; walBytes?: number } = { freeBytes: 10 * leastFreeBytes, walBytes: 0 };
  let checkpoints = 0;
  const alerts = memoryAlerts();
  const look = createStorageWatch({
    inspect: async () => facts,
    housekeeping: {
      checkpoint: async () => {
        checkpoints += 1;
      },
    },
    alerts,
    telemetry: memoryTelemetry(),
  });
  return { facts, look, kinds: () => alerts.raised.map(({ kind }) => kind), checkpoints: () => checkpoints };
};

test("warns once when the disk is nearly full, and again only if there was room in between", async () => {
  const { facts, look, kinds } = watched();
  await look();
  expect(kinds()).toEqual([]);
  for (const free of [leastFreeBytes - 1, 0, leastFreeBytes, leastFreeBytes - 1]) {
    facts.freeBytes = free;
    await look();
  }
  expect(kinds()).toEqual(["storage.low"]);
  facts.freeBytes = 2 * leastFreeBytes;
  await look();
  facts.freeBytes = 1;
  await look();
  expect(kinds()).toEqual(["storage.low", "storage.low"]);
});

test("warns once when the write-ahead log grows, and writes it back each time", async () => {
  const { facts, look, kinds, checkpoints } = watched();
  facts.walBytes = largestWalBytes + 1;
  await look();
  await look();
  expect([kinds(), checkpoints()]).toEqual([["storage.log_grows"], 2]);
  facts.walBytes = 0;
  await look();
  expect(checkpoints()).toBe(2);
});

test("is silent about a database on another machine", async () => {
  const { facts, look, kinds } = watched();
  delete facts.freeBytes;
  delete facts.walBytes;
  await look();
  expect(kinds()).toEqual([]);
});
