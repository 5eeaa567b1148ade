import type { Alerts, Telemetry } from "@postern/core/ports";

/** Writes alerts to the log as errors, with their kind in the field `alert`. */
export const logAlerts = (telemetry: Telemetry): Alerts => ({
  raise: ({ kind, text, details }) => telemetry.log("error", text, { alert: kind, ...details }),
});
