import { AppError } from "@postern/core";
import type { ActivityCounter } from "@postern/core/internal";
import { codingRefused, createBoundedLines, isPromise, type MaybePromise, traceIdOf } from "@postern/core/internal";
import type { AcceptOutcome, EventState, NewEvent } from "@postern/core/ports";
import { createLocalHandoff, type LocalHandoff } from "@postern/jobs/internal";
import type { Delivery, HandshakeAnswer, SenderAnswer } from "@postern/webhook-verifier";
import { createDeliveryCounter, type DeliveryCounter } from "./delivery-counter.ts";
import { createEventAcceptor } from "./event-acceptor.ts";
import type { Inbox, InboxParts, WebhookAnswer } from "./inbox-parts.ts";
import type { IncomingWebhook } from "./incoming-webhook.ts";
import { type EventMaker, eventsOf, inspectInPieces, looksInside, type Received } from "./new-events.ts";
import type { Provider } from "./provider.ts";
import { createRefusalRecorder, type RefusalRecorder } from "./refusal-recorder.ts";
import { createSignedAgain } from "./repeat-key.ts";
import { stateOfResent } from "./resent-event.ts";
import { runnableOf } from "./runnable.ts";
import { createTooLongReport } from "./too-long-report.ts";
import { isVerificationRefusal } from "./verification-refusal.ts";
import { beginWebhookCounts } from "./webhook-counts.ts";

/** What an application gives in addition. */
interface InboxOfApplication extends InboxParts {
  /**
   * Hands jobs to a worker of the same process with the commit that stores them. Default: the worker
   * finds them at its next look.
   */
  readonly handoff?: Pick<LocalHandoff, "store" | "shares">;
  /** Called when events were committed. */
  readonly onStored?: () => void;
  /** Counts what comes, over time. */
  readonly activity?: Pick<ActivityCounter, "delivered">;
}

/** The same, with what the steps of an inbox share. */
interface Steps extends InboxOfApplication {
  readonly counter: DeliveryCounter;
  readonly recorder: RefusalRecorder;
}

/**
 * The steps of a webhook from bytes to the answer, in reading order: find its provider, verify it,
 * read its events, store them in one commit with their jobs, report, answer. What happens afterwards
 * is in `worker.ts` of `@postern/jobs`.
 */
export const createInboxOf = (given: InboxOfApplication): Inbox => {
  const counter = createDeliveryCounter(given.ports, given.activity);
  const recorder = createRefusalRecorder(given.ports, given.providers);
  const parts: Steps = { ...given, counter, recorder };
  const { storage, telemetry } = parts.ports;
  const report = createReport(parts);
  const maker: EventMaker = {
    ports: parts.ports,
    handlers: parts.handlers,
    looksInside: parts.handlers.some(looksInside),
    signedAgain: createSignedAgain(parts.ports),
  };
  const countedAs = createTooLongReport(parts.ports);
  const acceptor = createEventAcceptor(parts.ports, parts.handoff ?? createLocalHandoff(), parts.onStored);
  beginWebhookCounts(telemetry, parts.providers.configured.keys());

  // Nearly always the commit is all there is to wait for. Each further promise on the way to it would
  // take memory for as long as a webhook waits, so what is there already is not waited for.
  const receive = async (webhook: IncomingWebhook): Promise<WebhookAnswer> => {
    const provider = parts.providers.configured.get(webhook.provider) ?? (await findStored(parts, webhook));
    if (webhook.unpack !== undefined) {
      if (provider.verifier.scheme.codings === undefined) throw codingRefused();
      return webhook.unpack(receive);
    }

    let verdict: Verdict;
    try {
      const found = verdictOf(parts, provider, webhook);
      verdict = isPromise(found) ? await found : found;
    } catch (thrown) {
      verdict = await verdictOnFault(parts, provider, webhook, thrown);
    }
    if ("answer" in verdict) return { ...sent(verdict.answer), done: verdict.done, log: { provider: provider.name } };

    const received: Received = { provider: verdict.provider, delivery: verdict.delivery, webhook };
    if (webhook.pause !== undefined) await inspectInPieces(maker, received, webhook.pause);
    const made = eventsOf(maker, received);
    const events = isPromise(made) ? await made : made;

    let outcomes: readonly AcceptOutcome[];
    try {
      const [only] = events;
      // There is almost always one, and `Promise.all` would cost more.
      outcomes =
        only !== undefined && events.length === 1
          ? [await acceptor.accept(only)]
          : await Promise.all(events.map(acceptor.accept));
    } catch (thrown) {
      const result = countedAs(provider.name, thrown);
      telemetry.count("webhooks_received", { provider: provider.name, result }, events.length);
      counter.note(provider.name, result, events.length);
      throw thrown;
    }

    for (const [at, outcome] of outcomes.entries()) report(webhook, events[at], outcome);
    telemetry.count("webhooks_answered");
    const isSentAgain = outcomes.some(({ outcome }) => outcome === "duplicate");
    const states = isSentAgain ? await statesOfResent(parts, received.provider, events, outcomes) : [];
    return answerTo(received.provider, events, outcomes, states);
  };

  return {
    jobs: given.handlers.map((handler) => runnableOf(handler, given.providers)),
    receive,
    checkReady: async () => {
      if (acceptor.fault === undefined) return;
      await storage.checkWritable();
      acceptor.recovered();
    },
    flush: async () => {
      await counter.flush();
      await recorder.flush();
    },
  };
};

/**
 * A provider that the configuration does not have.
 * @throws AppError `unknown_provider`; `unavailable` while stored providers cannot be read.
 */
const findStored = async ({ providers }: InboxParts, { provider: name }: IncomingWebhook): Promise<Provider> => {
  const provider = (await providers.find(name)) ?? (await providers.findNewest(name));
  if (provider !== undefined) return provider;
  throw new AppError("unknown_provider", { detail: "No provider of this name is configured here." });
};

/** An answer in the form that a scheme gives, sent as it is. */
const sent = ({ status, headers, body }: SenderAnswer) => ({ status, headers, text: body });

/** The result of verifying a webhook: a delivery, or an answer to send as it is. */
type Verdict =
  | { readonly provider: Provider; readonly delivery: Delivery }
  | { readonly answer: SenderAnswer; readonly done: "handshake" | "refused" };

/**
 * Verifies a webhook, at once where the platform can.
 * @throws what the verifier throws, also from the promise; AppError.
 */
const verdictOf = (parts: InboxParts, provider: Provider, webhook: IncomingWebhook): MaybePromise<Verdict> => {
  const { verifier } = provider;
  if (verifier.scheme.handshake !== undefined || webhook.method !== "POST") return verifyOnce(parts, provider, webhook);
  const delivery = verifier.verifySoon === undefined ? verifier.verify(webhook) : verifier.verifySoon(webhook);
  return isPromise(delivery) ? delivery.then((verified) => ({ provider, delivery: verified })) : { provider, delivery };
};

/**
 * The verdict if a webhook does not fit the keys at hand. Tries once more with the newest ones, so
 * that a new key works at once on every node.
 * @throws AppError `invalid_signature`, `unavailable`, `method_not_allowed`, `state_conflict`.
 */
const verdictOnFault = (
  parts: Steps,
  provider: Provider,
  webhook: IncomingWebhook,
  thrown: unknown,
): Promise<Verdict> =>
  verifyWithNewestKeys(parts, provider, webhook, thrown).catch((final: unknown) =>
    refusalOf(parts, provider, webhook, final),
  );

/**
 * What a webhook lacks, which anybody can see who sends it. An answer that says which other fault a
 * signature has would help to forge one.
 */
const lacks: ReadonlySet<string> = new Set(["header_missing", "signature_missing"]);

/**
 * A webhook without a signature is told so. Every other signature fault gets the same answer, and
 * the log says which one it was.
 * @throws AppError
 */
const refusalOf = (
  { ports: { telemetry }, counter, recorder }: Steps,
  provider: Provider,
  webhook: IncomingWebhook,
  thrown: unknown,
): Verdict => {
  if (!isVerificationRefusal(thrown)) throw thrown;
  telemetry.count("webhooks_refused", { provider: webhook.provider, reason: thrown.code });
  counter.note(webhook.provider, "refused", 1, thrown.code);
  recorder.note(provider, webhook, thrown);
  if (webhook.quiet !== true) {
    telemetry.log("warn", "webhook refused", {
      request_id: webhook.requestId,
      address: webhook.address,
      provider: webhook.provider,
      reason: thrown.code,
      hint: thrown.message,
      trace_id: traceIdOf(webhook.headers.traceparent),
    });
  }
  if (thrown.code === "key_unavailable") {
    throw new AppError("unavailable", {
      detail: "The sender's keys cannot be read now.",
      headers: { "retry-after": "30" },
    });
  }
  if (thrown.code === "body_too_large") {
    throw new AppError("content_too_large", {
      detail: "The body is longer than any delivery of this sender, or has more fields.",
    });
  }
  const refusal = lacks.has(thrown.code)
    ? new AppError("invalid_signature", { detail: thrown.message, extra: { reason: thrown.code } })
    : new AppError("invalid_signature", { detail: "The signature does not hold for these bytes." });
  // A sender that needs an empty answer needs it empty in any case.
  if (provider.verifier.scheme.answer?.body !== "") throw refusal;
  return { answer: { status: refusal.status, headers: {}, body: "" }, done: "refused" };
};

/** Faults that may disappear with other keys. */
const keyFaults: ReadonlySet<string> = new Set(["signature_mismatch", "key_unknown"]);

/** @throws what was thrown, unless there are newer keys and the webhook fits them. */
const verifyWithNewestKeys = async (
  parts: InboxParts,
  provider: Provider,
  webhook: IncomingWebhook,
  thrown: unknown,
): Promise<Verdict> => {
  if (!(isVerificationRefusal(thrown) && keyFaults.has(thrown.code))) throw thrown;
  const newest = await parts.providers.findNewest(provider.name);
  if (newest === undefined || newest === provider) throw thrown;
  return verifyOnce(parts, newest, webhook);
};

const verifyOnce = async (parts: InboxParts, provider: Provider, webhook: IncomingWebhook): Promise<Verdict> => {
  const { verifier } = provider;
  // Most senders have no handshake, and each extra await costs time.
  if (verifier.scheme.handshake !== undefined) {
    const handshake = await verifier.handshake(webhook);
    if (handshake !== undefined) {
      // Before there is a key, everything is a handshake. Another node may just have got the key.
      const newest = verifier.scheme.keyComes === "check" ? await parts.providers.findNewest(provider.name) : provider;
      if (newest !== undefined && newest !== provider) return verifyOnce(parts, newest, webhook);
      return { answer: await keepHandshakeKey(parts, webhook, handshake), done: "handshake" };
    }
  }
  const { method } = webhook;
  const allowed = ["POST", ...(verifier.scheme.methods ?? [])];
  if (!allowed.includes(method)) {
    const allow = allowed.join(", ");
    throw new AppError("method_not_allowed", { detail: `This sender delivers by ${allow}.`, headers: { allow } });
  }
  // It asks only whether the address is there.
  if (method === "HEAD") return { answer: { status: 200, headers: {}, body: "" }, done: "handshake" };
  return { provider, delivery: await verifier.verify(webhook) };
};

/**
 * Stores the key that comes with a handshake before the handshake is answered.
 * @throws AppError `state_conflict` when it cannot be stored.
 */
const keepHandshakeKey = async (
  { ports: { telemetry }, providers }: InboxParts,
  { provider, requestId }: IncomingWebhook,
  answer: HandshakeAnswer,
): Promise<HandshakeAnswer> => {
  if (answer.key === undefined) return answer;
  const fields = { request_id: requestId, provider };
  if (!(await providers.keepHandshakeKey(provider, answer.key))) {
    telemetry.log("error", "a key came with a handshake and cannot be kept: add this provider at run time", fields);
    throw new AppError("state_conflict", { detail: "This provider takes no key by a handshake." });
  }
  // Notion asks for the key in its own form. Logs are copied to many places, so the line names the
  // command and not the key.
  const command = `postern providers show-key ${provider}`;
  telemetry.log("info", "the key that came with the handshake is kept; no other is taken", { ...fields, command });
  return answer;
};

type Report = (webhook: IncomingWebhook, event: NewEvent | undefined, outcome: AcceptOutcome | undefined) => void;

/** Tells operators what became of an event. */
const createReport = ({ ports, counter }: Steps): Report => {
  const linesOf = (message: string) => createBoundedLines(ports, { level: "warn", message });
  const altered = linesOf("further repeats of events carried other bodies");
  const quarantined = linesOf("further webhooks were quarantined");

  return (webhook, event, outcome) => {
    if (event === undefined || outcome === undefined) return;
    const { provider, type } = event;
    const result = outcome.outcome === "duplicate" ? "duplicate" : event.disposition;
    ports.telemetry.count("webhooks_received", { provider, result });
    counter.note(provider, result);
    // For the usual results, the request's own log line says the same.
    const fields = { request_id: webhook.requestId, provider, event: outcome.id, type };
    if (outcome.outcome === "duplicate") {
      if (outcome.sameBody || !altered(provider, { provider })) return;
      ports.telemetry.log("warn", "a repeat of this event carried another body; the first one stands", fields);
    } else if (result === "quarantined") {
      if (quarantined(provider, { provider })) ports.telemetry.log("warn", "webhook quarantined", fields);
      ports.alerts.raise({
        kind: "event.quarantined",
        text: `An authentic ${provider} event was quarantined: ${event.reason}.`,
        details: { event: outcome.id, provider, type },
      });
    }
  };
};

/** The states of events that were dead when they were sent again, each in its place. */
type ResentStates = readonly (EventState | undefined)[];

const statesOfResent = async (
  parts: InboxParts,
  provider: Provider,
  events: readonly NewEvent[],
  outcomes: readonly AcceptOutcome[],
): Promise<ResentStates> => {
  const states: (EventState | undefined)[] = [];
  for (const [at, { outcome, id }] of outcomes.entries()) {
    const sent = events[at];
    const isRepeat = outcome === "duplicate" && sent !== undefined;
    states.push(isRepeat ? await stateOfResent(parts, provider, id, sent) : undefined);
  }
  return states;
};

const answerTo = (
  { name, verifier }: Provider,
  events: readonly NewEvent[],
  outcomes: readonly AcceptOutcome[],
  states: ResentStates,
): WebhookAnswer => {
  const stored: { readonly id: string; readonly status: string; readonly state?: EventState }[] = [];
  for (const [index, { id, outcome }] of outcomes.entries()) {
    const state = states[index];
    const status = outcome === "duplicate" ? outcome : (events[index]?.disposition ?? "accepted");
    stored.push({ id: String(id), status, ...(state === undefined ? undefined : { state }) });
  }
  const [first] = stored;
  const log = {
    provider: name,
    event: first?.id,
    result: first?.status,
    events: stored.length,
    trace_id: traceIdOf(events[0]?.headers.traceparent),
  };
  const wanted = verifier.scheme.answer;
  const done = outcomes.every(({ outcome }) => outcome === "duplicate") ? "repeat" : "stored";
  if (wanted !== undefined) return { ...sent(wanted), done, log };
  return { status: 200, body: stored.length === 1 ? first : { events: stored }, done, log };
};
