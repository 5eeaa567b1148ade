import { type Delivery, sha256Hex, WebhookVerificationError } from "@postern/webhook-verifier";
import type { Environment } from "../environment.ts";
import { AppError } from "../errors/index.ts";
import { naturalBatch } from "../jobs/natural-batch.ts";
import { maxAttemptsOf } from "../jobs/retry-policy.ts";
import type { Answer } from "../operations/operation.ts";
import type { AcceptOutcome, NewEvent } from "../ports/event-store.ts";
import { utf8Encode } from "../runtime.ts";
import { wants } from "./handler.ts";
import type { Provider } from "./provider.ts";
import { faultOf } from "./quarantine.ts";

/** A webhook as it arrived. */
export interface IncomingWebhook {
  readonly provider: string;
  readonly method: string;
  /** Absolute, as the sender called it; needed by schemes that sign it. */
  readonly url: string;
  /** Lower-case names; a repeated header as an array. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Untouched. */
  readonly body: Uint8Array;
  readonly requestId: string;
}

export interface Inbox {
  /**
   * Takes one webhook: verify, answer a handshake, read id, type and time, store the event and its jobs in one transaction, answer 200. When it
   * resolves with 200 everything is on disk.
   * @throws AppError `unknown_provider`, `invalid_signature` (nothing is stored), `unavailable` or `overloaded` (send it again).
   */
  receive(webhook: IncomingWebhook): Promise<Answer>;
}

/** One flush of accepted events. */
const batchLimits = { items: 500, waiting: 10_000 };

/** The way of a webhook from bytes to 200, top to bottom. What happens afterwards is in `jobs/worker.ts`. */
export const createInbox = (environment: Environment): Inbox => {
  const { storage, telemetry, wakeup } = environment.ports;
  const accept = naturalBatch<NewEvent, AcceptOutcome>((events) => storage.events.accept(events), batchLimits);

  return {
    receive: async (webhook) => {
      const provider = environment.providers.get(webhook.provider);
      if (provider === undefined) {
        throw new AppError("unknown_provider", { detail: "No provider of this name is configured here." });
      }
      const handshake = await verified(environment, webhook, () => provider.verifier.handshake(webhook));
      if (handshake !== undefined) {
        return { status: handshake.status, headers: handshake.headers, text: handshake.body };
      }
      if (webhook.method !== "POST") {
        throw new AppError("method_not_allowed", {
          detail: "Webhooks are delivered by POST.",
          headers: { allow: "POST" },
        });
      }
      const delivery = await verified(environment, webhook, () => provider.verifier.verify(webhook));
      const events = await Promise.all(eventsOf(environment, provider, webhook, delivery));
      const outcomes = await Promise.all(events.map(accept));
      if (outcomes.some(({ outcome }) => outcome === "accepted")) wakeup.notify();
      for (const [index, event] of events.entries()) report(environment, webhook, event, outcomes[index]);
      return answerTo(events, outcomes);
    },
  };

  function answerTo(events: readonly NewEvent[], outcomes: readonly AcceptOutcome[]): Answer {
    const stored = outcomes.map((outcome, index) => ({
      id: String(outcome.id),
      status: outcome.outcome === "duplicate" ? "duplicate" : (events[index]?.disposition ?? "accepted"),
    }));
    telemetry.count("webhooks_answered");
    return { status: 200, body: stored.length === 1 ? stored[0] : { events: stored } };
  }
};

/** Every fault of a signature answers alike; which one it was stands in the log only. */
const verified = async <Result>(
  { ports }: Environment,
  webhook: IncomingWebhook,
  check: () => Promise<Result>,
): Promise<Result> => {
  try {
    return await check();
  } catch (thrown) {
    if (!(thrown instanceof WebhookVerificationError)) throw thrown;
    ports.telemetry.count("webhooks_refused", { provider: webhook.provider, reason: thrown.code });
    ports.telemetry.log("warn", "webhook refused", {
      request_id: webhook.requestId,
      provider: webhook.provider,
      reason: thrown.code,
      hint: thrown.message,
    });
    if (thrown.code === "key_unavailable") {
      throw new AppError("unavailable", {
        detail: "The sender's keys cannot be read now.",
        headers: { "retry-after": "30" },
      });
    }
    throw new AppError("invalid_signature", { detail: "The signature does not hold for these bytes." });
  }
};

/** One event, or one for each item of a batch. */
const eventsOf = (
  environment: Environment,
  provider: Provider,
  webhook: IncomingWebhook,
  delivery: Delivery,
): readonly Promise<NewEvent>[] => {
  if (delivery.items === undefined) {
    return [newEvent(environment, provider, webhook, delivery, delivery, webhook.body)];
  }
  return delivery.items.map((item) =>
    newEvent(environment, provider, webhook, delivery, item, utf8Encode(JSON.stringify(item.payload))),
  );
};

const newEvent = async (
  environment: Environment,
  provider: Provider,
  webhook: IncomingWebhook,
  delivery: Delivery,
  item: Pick<Delivery, "id" | "type" | "payload" | "dedupeKey">,
  body: Uint8Array,
): Promise<NewEvent> => {
  const fault = faultOf(provider, item);
  const takers = environment.handlers.filter((handler) => wants(handler, { provider: provider.name, type: item.type }));
  const disposition = fault !== undefined ? "quarantined" : takers.length === 0 ? "ignored" : "accepted";
  return {
    provider: provider.name,
    dedupeKey: item.dedupeKey,
    eventId: item.id,
    type: item.type,
    body,
    headers: keptHeaders(webhook.headers),
    bodySha256: await sha256Hex(body),
    occurredAt: delivery.timestamp,
    receivedAt: environment.ports.clock.now(),
    disposition,
    reason: fault ?? (disposition === "ignored" ? "no handler wants it" : undefined),
    jobs:
      disposition === "accepted"
        ? takers.map(({ name, retry }) => ({ kind: name, maxAttempts: maxAttemptsOf(retry) }))
        : [],
  };
};

/** What is kept of the request beside its body: nothing that could be a credential. */
const keptHeaders = (headers: IncomingWebhook["headers"]): Readonly<Record<string, string>> => {
  const kept: Record<string, string> = {};
  for (const name of ["content-type", "user-agent", "traceparent"]) {
    const value = headers[name];
    if (typeof value === "string") kept[name] = value.slice(0, 512);
  }
  return kept;
};

const report = (
  { ports }: Environment,
  webhook: IncomingWebhook,
  event: NewEvent,
  outcome: AcceptOutcome | undefined,
): void => {
  if (outcome === undefined) return;
  const result = outcome.outcome === "duplicate" ? "duplicate" : event.disposition;
  const fields = { request_id: webhook.requestId, provider: event.provider, event: outcome.id, type: event.type };
  ports.telemetry.count("webhooks_received", { provider: event.provider, result });
  ports.telemetry.log("info", `webhook ${result}`, fields);
  if (outcome.outcome === "duplicate" && !outcome.sameBody) {
    ports.telemetry.log("warn", "a repeat of this event carried another body; the first one stands", fields);
  }
  if (result === "quarantined") {
    ports.alerts.raise({
      kind: "event.quarantined",
      text: `An authentic ${event.provider} event was quarantined: ${event.reason}.`,
      details: { event: outcome.id, provider: event.provider, type: event.type },
    });
  }
};
