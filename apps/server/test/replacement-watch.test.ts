import { memoryAlerts, memoryTelemetry } from "@postern/core/memory";
import { expect, test } from "vitest";
import { createReplacementWatch } from "../src/replacement-watch.ts";

test("tells once that the database was replaced, and once that it is the first one again", async () => {
  const alerts = memoryAlerts();
  const telemetry = memoryTelemetry();
  let reason: string | undefined;
  const look = createReplacementWatch({ database: { replacement: async () => reason }, alerts, telemetry });
  await look();
  expect(alerts.raised).toEqual([]);
  reason = "the file is gone; put it back";
  await look();
  await look();
  expect(alerts.raised).toEqual([{ kind: "storage.replaced", text: reason, details: {} }]);
  reason = undefined;
  await look();
  await look();
  expect(telemetry.entries.map(({ level, message }) => `${level}: ${message}`)).toEqual([
    "error: the database was replaced",
    "info: the database is the one that was opened first again; everything is accepted",
  ]);
});
