import type { Answer, Ports } from "@postern/core";
import type { EventRunnable } from "@postern/jobs";
import type { InboxHandler } from "./handler.ts";
import type { IncomingWebhook } from "./incoming-webhook.ts";
import type { Providers } from "./provider-registry.ts";

/** The dependencies of an inbox. */
export interface InboxParts {
  readonly ports: Pick<Ports, "storage" | "clock" | "ids" | "telemetry" | "alerts" | "wakeup">;
  /** The senders whose webhooks are accepted. */
  readonly providers: Providers;
  /** The handlers that receive the events. */
  readonly handlers: readonly InboxHandler[];
}

/**
 * What was done with a webhook. `stored`: at least one of its events is new, also if it was ignored
 * or quarantined. `repeat`: each of its events came before. `handshake`: it was answered and nothing
 * is stored. `refused`: everything else. Only the first two prove who sends.
 */
type Done = "stored" | "repeat" | "handshake" | "refused";

/** The answer to a webhook, and what was done with it. The status is for the sender alone. */
export interface WebhookAnswer extends Answer {
  readonly done: Done;
}

export interface Inbox {
  /** What runs the jobs of the events, for `createJobs`. */
  readonly jobs: readonly EventRunnable[];
  /**
   * Receives one webhook. When it resolves with `stored` or `repeat`, everything is on disk.
   * @throws AppError `unknown_provider`, `invalid_signature` (nothing is stored), `unavailable` or
   *   `overloaded` (the sender should try again).
   */
  receive(webhook: IncomingWebhook): Promise<WebhookAnswer>;
  /**
   * Resolves if events can be stored.
   * @throws AppError `unavailable` if the last events could not be stored and a write still fails.
   */
  checkReady(): Promise<void>;
  /** Stores the counts of deliveries and the refusals that are still in memory. */
  flush(): Promise<void>;
}
