import type { Alert, Alerts, Fetcher, Telemetry } from "@postern/core/ports";
import { defineJob, type JobHandler } from "@postern/jobs";
import { logAlerts } from "./log-alerts.ts";

interface AlertReceiver {
  /**
   * Takes a POST with `{ "kind", "text", "details" }` as JSON and answers with a 2xx. You set it
   * yourself, so it may be in your own network: loopback and private addresses are called as well.
   */
  readonly url: string;
  readonly fetcher: Fetcher;
  /** Milliseconds that one alert may take. Default: 5,000. */
  readonly timeoutMs?: number;
}

export interface WebhookAlertsOptions extends AlertReceiver {
  readonly telemetry: Telemetry;
  /** How many may wait while one is being sent. Default: 100. */
  readonly queue?: number;
  /**
   * Stores an alert that could not be delivered, as an `alertJob`, to send it later. If absent, the
   * alert goes to the log.
   */
  readonly retryLater?: (alert: Alert) => Promise<unknown>;
}

export interface WebhookAlerts extends Alerts {
  /**
   * Sends an alert and says whether it arrived. Use it at the start.
   * @throws Error with the reason; its message does not contain the URL.
   */
  send(alert: Alert): Promise<void>;
  /**
   * Resolves when no alert waits any more. Waiting alerts are stored for later and not sent now.
   */
  close(): Promise<void>;
}

/** The name of the jobs that send alerts again. */
export const alertJobName = "postern.alert";

/** @throws Error with the reason. The URL may hold a credential, so no reason names it. */
const post = async ({ url, fetcher, timeoutMs = 5_000 }: AlertReceiver, alert: Alert): Promise<void> => {
  const { status } = await fetcher.fetch({
    url,
    method: "POST",
    headers: { "content-type": "application/json" },
    body: Buffer.from(JSON.stringify(alert)),
    timeoutMs,
    maxResponseBytes: 1_024,
    allowPrivate: true,
  });
  if (status < 200 || status > 299) throw new Error(`the receiver answered ${status}`);
};

/** The job that sends an alert again, by the default retry policy. Its payload is the alert. */
export const alertJob = (receiver: AlertReceiver): JobHandler<Alert> =>
  defineJob<Alert>(alertJobName, (alert) => post(receiver, alert), {
    // Longer than one try, so that the try ends by itself.
    timeoutMs: Math.max(30_000, 2 * (receiver.timeoutMs ?? 0)),
  });

/**
 * Sends alerts one after the other. An alert that the receiver did not take goes to `retryLater`.
 * An alert goes to the log instead, as `logAlerts` does, with the reason in `undelivered`, if it
 * cannot be kept for later, if it came while the queue was full, or if it is about a job that sends
 * alerts: otherwise each failure would cause the next one.
 */
export const webhookAlerts = ({
  telemetry,
  queue = 100,
  retryLater,
  ...receiver
}: WebhookAlertsOptions): WebhookAlerts => {
  const log = logAlerts(telemetry);
  const waiting: Alert[] = [];
  let sending: Promise<void> | undefined;
  let isClosed = false;

  const giveUp = (alert: Alert, reason: string): void =>
    log.raise({ ...alert, details: { ...alert.details, undelivered: reason } });

  const keep = async (alert: Alert, reason: string): Promise<void> => {
    if (retryLater === undefined) return giveUp(alert, reason);
    try {
      await retryLater(alert);
      telemetry.log("warn", "an alert could not be delivered; a job tries again", { alert: alert.kind, reason });
    } catch {
      giveUp(alert, reason);
    }
  };

  const deliver = async (alert: Alert): Promise<void> => {
    if (isClosed) return keep(alert, "the process stops");
    try {
      await post(receiver, alert);
    } catch (thrown) {
      await keep(alert, reasonOf(thrown));
    }
  };

  const sendAll = async (): Promise<void> => {
    for (let alert = waiting.shift(); alert !== undefined; alert = waiting.shift()) await deliver(alert);
    sending = undefined;
  };

  return {
    raise: (alert) => {
      if (alert.details.kind === alertJobName) return giveUp(alert, "it is about an alert");
      if (waiting.length >= queue) return giveUp(alert, "too many alerts are waiting");
      waiting.push(alert);
      // `deliver` catches everything, so this never rejects.
      sending ??= sendAll();
    },
    send: (alert) => post(receiver, alert),
    close: async () => {
      isClosed = true;
      await sending;
    },
  };
};

const reasonOf = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message : "the receiver could not be reached";
