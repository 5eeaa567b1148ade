import { hostname } from "node:os";
import type { Ports } from "@postern/core";
import type { Alerts } from "@postern/core/ports";
import { type JobHandler, newJob } from "@postern/jobs";
import { alertJob, webhookAlerts } from "@postern/platform-node";
import type { ServerConfig } from "./config.ts";

/** Where alerts go. */
export interface Alerting {
  readonly alerts: Alerts;
  /** The jobs that send alerts again. */
  readonly jobs: readonly JobHandler[];
  /** Sends a first alert, and logs whether it arrived. Never rejects. */
  tryOut(): Promise<void>;
  /** Keeps what was not sent yet for later. */
  close(): Promise<void>;
}

/** How many alerts wait while one is sent. Further ones only go to the log. */
const queue = 100;
/** How long one try takes. A receiver that takes longer is tried again later. */
const timeoutMs = 5_000;

/**
 * Alerts go to `alertUrl` if there is one, and otherwise to the log. An alert that cannot be delivered
 * becomes a job, which survives a restart.
 */
export const alertingTo = (
  { alertUrl: url, nameOf }: Pick<ServerConfig, "alertUrl" | "nameOf">,
  ports: Pick<Ports, "fetcher" | "telemetry" | "storage" | "clock" | "wakeup" | "alerts">,
): Alerting => {
  const { fetcher, telemetry, storage, clock, wakeup } = ports;
  if (url === undefined) {
    return { alerts: ports.alerts, jobs: [], tryOut: () => Promise.resolve(), close: () => Promise.resolve() };
  }
  const job = alertJob({ url, fetcher, timeoutMs });
  const alerts = webhookAlerts({
    url,
    fetcher,
    telemetry,
    queue,
    timeoutMs,
    retryLater: async (alert) => {
      await storage.jobs.enqueue([newJob(job, alert)], clock.now());
      wakeup.notify();
    },
  });
  const first = {
    kind: "alerts.started",
    text: `Postern has started on ${hostname()}. Its alerts come here.`,
    details: {},
  };
  return {
    alerts,
    jobs: [job],
    tryOut: async () => {
      try {
        await alerts.send(first);
        telemetry.log("info", `alerts arrive at ${nameOf("alertUrl")}`);
      } catch (thrown) {
        const reason = thrown instanceof Error ? thrown.message : String(thrown);
        const message = `${nameOf("alertUrl")} takes no alerts now; check the address. Alerts are kept and tried again`;
        telemetry.log("error", message, { reason });
      }
    },
    close: alerts.close,
  };
};
