import { AppError } from "@postern/core";
import { memoryAlerts, memoryPorts, memoryTelemetry } from "@postern/core/memory";
import { expect, test } from "vitest";
import { createTooLongReport } from "../src/too-long-report.ts";

test("a webhook that is longer than the database takes is reported, once in a minute for each sender", () => {
  const [alerts, telemetry] = [memoryAlerts(), memoryTelemetry()];
  const { clock } = memoryPorts();
  const countedAs = createTooLongReport({ clock, alerts, telemetry });
  const tooLong = new AppError("content_too_large", { detail: "It is longer than the database takes." });
  expect(countedAs("github", new AppError("unavailable"))).toBe("busy");
  expect(alerts.raised).toEqual([]);
  for (const sender of ["github", "github", "gitlab"]) expect(countedAs(sender, tooLong)).toBe("too_large");
  expect(alerts.raised.map(({ kind, details }) => [kind, details])).toEqual([
    ["webhook.too_large", { provider: "github" }],
    ["webhook.too_large", { provider: "gitlab" }],
  ]);
  expect(telemetry.entries.map(({ level }) => level)).toEqual(["error", "error"]);
});
