import type { Alert, Alerts, Fetcher, Telemetry } from "@postern/core";
import { logAlerts } from "./log-alerts.ts";

export interface WebhookAlertsOptions {
  /** Takes a POST with `{ "kind", "text", "details" }` as JSON and answers with a 2xx. */
  readonly url: string;
  readonly fetcher: Fetcher;
  readonly telemetry: Telemetry;
  /** How many may wait while one is being sent; 100 unless told. */
  readonly queue?: number;
  /** 5,000 unless told. */
  readonly timeoutMs?: number;
}

/**
 * Sends alerts one after the other, each tried once. One that the receiver did not take, or that came while the queue was full, is written to the
 * log instead, as `logAlerts` does, with the reason in `undelivered`.
 */
export const webhookAlerts = ({
  url,
  fetcher,
  telemetry,
  queue = 100,
  timeoutMs = 5_000,
}: WebhookAlertsOptions): Alerts => {
  const log = logAlerts(telemetry);
  const waiting: Alert[] = [];
  let sending = false;

  const giveUp = (alert: Alert, reason: string): void =>
    log.raise({ ...alert, details: { ...alert.details, undelivered: reason } });

  const send = async (alert: Alert): Promise<void> => {
    try {
      const body = Buffer.from(JSON.stringify(alert));
      const headers = { "content-type": "application/json" };
      const { status } = await fetcher.fetch({
        url,
        method: "POST",
        headers,
        body,
        timeoutMs,
        maxResponseBytes: 1_024,
      });
      if (status < 200 || status > 299) giveUp(alert, `the receiver answered ${status}`);
    } catch (thrown) {
      // The URL itself may hold a credential, so of the failure only its kind is told.
      giveUp(alert, thrown instanceof Error ? thrown.message : "the receiver could not be reached");
    }
  };

  const sendAll = async (): Promise<void> => {
    sending = true;
    for (let alert = waiting.shift(); alert !== undefined; alert = waiting.shift()) await send(alert);
    sending = false;
  };

  return {
    raise: (alert) => {
      if (waiting.length >= queue) return giveUp(alert, "too many alerts are waiting");
      waiting.push(alert);
      // `send` catches everything, so this never rejects.
      if (!sending) void sendAll();
    },
  };
};
