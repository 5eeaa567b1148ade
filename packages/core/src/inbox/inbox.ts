import { type Delivery, type HandshakeAnswer, type Scheme, sha256HexSoon } from "@postern/webhook-verifier/engine";
import type { Answer } from "../answer.ts";
import { createBoundedLines } from "../errors/bounded-lines.ts";
import { AppError } from "../errors/index.ts";
import type { LocalHandoff } from "../jobs/local-handoff.ts";
import type { AcceptOutcome, NewEvent } from "../ports/event-store.ts";
import type { Ports } from "../ports/index.ts";
import { isPromise, type MaybePromise, utf8Encode } from "../runtime.ts";
import { createEventAcceptor } from "./event-acceptor.ts";
import { eventJobs } from "./event-jobs.ts";
import { dataOf, metadataHeaders } from "./event-parts.ts";
import type { InboxHandler } from "./handler.ts";
import { wants } from "./handler.ts";
import { isTooDeep } from "./payload-depth.ts";
import type { Provider } from "./provider.ts";
import type { Providers } from "./provider-registry.ts";
import { faultOf, type Inspected } from "./quarantine.ts";
import { traceIdOf } from "./trace-context.ts";
import { isVerificationRefusal } from "./verification-refusal.ts";

/** A webhook as it arrived. */
export interface IncomingWebhook {
  readonly provider: string;
  readonly method: string;
  /** Absolute, as the sender called it. Some schemes sign it. */
  readonly url: string;
  /** Lower-case names; a repeated header as an array. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /**
   * The fields after the body, in the same form. RFC 9421 can sign them (`tr`). Absent where the
   * runtime does not give them.
   */
  readonly trailers?: Readonly<Record<string, string | readonly string[] | undefined>> | undefined;
  /** The body, byte for byte. */
  readonly body: Uint8Array;
  readonly requestId: string;
  /** The network address of the sender, for the log. */
  readonly address?: string;
  /**
   * True if a refusal should not be logged: the address has had many, and only their sum is logged.
   */
  readonly quiet?: boolean;
  /**
   * Ends a turn of the event loop, so that other requests are answered in between. Only for a long
   * webhook: to verify it, to digest it and to read it takes milliseconds each.
   */
  readonly pause?: (() => Promise<void>) | undefined;
}

/** The dependencies of an inbox. */
export interface InboxParts {
  readonly ports: Pick<Ports, "storage" | "clock" | "telemetry" | "alerts" | "wakeup">;
  /** The senders whose webhooks are accepted. */
  readonly providers: Providers;
  /** The handlers that receive the events. */
  readonly handlers: readonly InboxHandler[];
  /** Hands jobs to a worker of the same process with the commit that stores them. */
  readonly handoff: Pick<LocalHandoff, "store" | "shares">;
  /**
   * How many milliseconds a webhook waits until its events are stored. After that it is answered
   * `unavailable`. Default 2,400: senders wait for one to three seconds at the least.
   */
  readonly waitMs?: number;
  /**
   * How many repeats with other bodies, and how many quarantined events, of a sender have a line in
   * the log in a minute. Default 10.
   */
  readonly lines?: number;
}

export interface Inbox {
  /**
   * Receives one webhook. When it resolves with 200, everything is on disk.
   * @throws AppError `unknown_provider`, `invalid_signature` (nothing is stored), `unavailable` or
   *   `overloaded` (the sender should try again).
   */
  receive(webhook: IncomingWebhook): Promise<Answer>;
  /**
   * Resolves if events can be stored.
   * @throws AppError `unavailable` if the last events could not be stored and a write still fails.
   */
  checkReady(): Promise<void>;
}

/**
 * The steps of a webhook from bytes to 200, in reading order: find its provider, verify it, read
 * its events, store them in one commit with their jobs, report, answer. What happens afterwards is
 * in `jobs/worker.ts`.
 */
export const createInbox = (parts: InboxParts): Inbox => {
  const { storage, telemetry } = parts.ports;
  const report = createReport(parts);
  const acceptor = createEventAcceptor(parts.ports, parts.handoff, parts.waitMs);

  // None of these is an async function. Nearly always the commit is all there is to wait for, and
  // each async function on the way to it would take 0.5 kB or more.

  const receiveFrom = (provider: Provider, webhook: IncomingWebhook): Promise<Answer> => {
    const { verifier } = provider;
    const onFault = (thrown: unknown): Promise<Answer> =>
      verdictOnFault(parts, provider, webhook, thrown).then((verdict) => answerVerdict(verdict, webhook));
    if (verifier.scheme.handshake !== undefined || webhook.method !== "POST") {
      return verifyOnce(parts, provider, webhook).then((verdict) => answerVerdict(verdict, webhook), onFault);
    }
    let delivery: MaybePromise<Delivery>;
    try {
      delivery = verifier.verifySoon === undefined ? verifier.verify(webhook) : verifier.verifySoon(webhook);
    } catch (thrown) {
      return onFault(thrown);
    }
    return isPromise(delivery)
      ? delivery.then((verified) => keep({ provider, delivery: verified, webhook }), onFault)
      : keep({ provider, delivery, webhook });
  };

  const answerVerdict = (verdict: Verdict, webhook: IncomingWebhook): Answer | Promise<Answer> => {
    if ("delivery" in verdict) return keep({ provider: verdict.provider, delivery: verdict.delivery, webhook });
    const { status, headers, body } = verdict.answer;
    return { status, headers, text: body };
  };

  /** Stores the events of a verified delivery, and answers it. */
  const keep = (received: Received): Promise<Answer> => {
    const { pause } = received.webhook;
    return pause === undefined ? keepInspected(received) : keepInTurns(received, pause);
  };

  const keepInTurns = async (received: Received, pause: () => Promise<void>): Promise<Answer> => {
    await inspectInTurns(parts, received, pause);
    return keepInspected(received);
  };

  const keepInspected = (received: Received): Promise<Answer> => {
    try {
      const events = eventsOf(parts, received);
      return isPromise(events) ? events.then((made) => keepEvents(received, made)) : keepEvents(received, events);
    } catch (thrown) {
      return Promise.reject(thrown);
    }
  };

  const keepEvents = (received: Received, events: readonly NewEvent[]): Promise<Answer> => {
    const [only] = events;
    const refused = (thrown: unknown): never => {
      telemetry.count("webhooks_received", { provider: received.provider.name, result: "busy" }, events.length);
      throw thrown;
    };
    // There is almost always one, and `Promise.all` would cost more.
    return only !== undefined && events.length === 1
      ? acceptor.accept(only).then((outcome) => answerKept(received, events, [outcome]), refused)
      : Promise.all(events.map(acceptor.accept)).then((outcomes) => answerKept(received, events, outcomes), refused);
  };

  const answerKept = (
    { provider, webhook }: Received,
    events: readonly NewEvent[],
    outcomes: readonly AcceptOutcome[],
  ): Answer => {
    for (let at = 0; at < events.length; at += 1) report(webhook, events[at], outcomes[at]);
    telemetry.count("webhooks_answered");
    const answer = answerTo(events, outcomes);
    if (provider.verifier.scheme.wantsEmptyAnswers !== true) return answer;
    const { body: _, ...empty } = answer;
    return { ...empty, text: "" };
  };

  return {
    receive: (webhook) => {
      const provider = parts.providers.configured.get(webhook.provider);
      return provider === undefined
        ? findStored(parts, webhook).then((found) => receiveFrom(found, webhook))
        : receiveFrom(provider, webhook);
    },
    checkReady: async () => {
      if (acceptor.fault === undefined) return;
      await storage.checkWritable();
      acceptor.recovered();
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

/** The result of verifying a webhook: a delivery, or an answer to send as it is. */
type Verdict = { readonly provider: Provider } & (
  | { readonly delivery: Delivery }
  | { readonly answer: HandshakeAnswer }
);

/**
 * The verdict if a webhook does not fit the keys at hand. Tries once more with the newest ones, so
 * that a new key works at once on every node.
 * @throws AppError `invalid_signature`, `unavailable`, `method_not_allowed`, `state_conflict`.
 */
const verdictOnFault = (
  parts: InboxParts,
  provider: Provider,
  webhook: IncomingWebhook,
  thrown: unknown,
): Promise<Verdict> =>
  verifyWithNewestKeys(parts, provider, webhook, thrown).catch((final: unknown) =>
    refusalOf(parts, provider, webhook, final),
  );

/** Every signature fault gets the same answer; the log says which one it was. @throws AppError */
const refusalOf = (
  { ports: { telemetry } }: InboxParts,
  provider: Provider,
  webhook: IncomingWebhook,
  thrown: unknown,
): Verdict => {
  if (!isVerificationRefusal(thrown)) throw thrown;
  telemetry.count("webhooks_refused", { provider: webhook.provider, reason: thrown.code });
  if (webhook.quiet !== true) {
    telemetry.log("warn", "webhook refused", {
      request_id: webhook.requestId,
      address: webhook.address,
      provider: webhook.provider,
      reason: thrown.code,
      hint: thrown.message,
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
  const refusal = new AppError("invalid_signature", { detail: "The signature does not hold for these bytes." });
  if (provider.verifier.scheme.wantsEmptyAnswers !== true) throw refusal;
  return { provider, answer: { status: refusal.status, headers: {}, body: "" } };
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
    if (handshake !== undefined) return { provider, answer: await keepHandshakeKey(parts, webhook, handshake) };
  }
  if (webhook.method !== "POST") {
    throw new AppError("method_not_allowed", {
      detail: "Webhooks are delivered by POST.",
      headers: { allow: "POST" },
    });
  }
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

/** A verified delivery and where it came from. */
interface Received {
  readonly provider: Provider;
  readonly webhook: IncomingWebhook;
  readonly delivery: Delivery;
}

/**
 * Reads what takes long in a delivery, each part in a turn of the event loop of its own. The
 * delivery remembers what was read.
 */
const inspectInTurns = async (
  parts: InboxParts,
  { provider, delivery }: Received,
  pause: () => Promise<void>,
): Promise<void> => {
  const readEach = [
    () => delivery.dedupeKey,
    () => (looksInto(parts, provider) ? delivery.payload : (delivery.depth ?? delivery.payload)),
  ];
  for (const read of readEach) {
    await pause();
    read();
  }
  await pause();
};

/** One event, or one for each item of a batch. */
const eventsOf = (parts: InboxParts, received: Received): MaybePromise<readonly NewEvent[]> => {
  const { delivery, webhook } = received;
  const { items } = delivery;
  // A batch that is nested too deep to be written anew item by item is stored as a whole.
  if (items === undefined || isTooDeep(delivery.payload)) {
    const event = newEvent(parts, received, delivery, webhook.body);
    return isPromise(event) ? event.then((made) => [made]) : [event];
  }
  return together(items.map((item) => newEvent(parts, received, item, utf8Encode(JSON.stringify(item.payload)))));
};

/** Whether a handler looks into the payload of an event before it gets it. */
const looksInside = ({ where, orderKey, schema }: InboxHandler): boolean =>
  where !== undefined || orderKey !== undefined || schema !== undefined;

/** Whether a handler or a schema looks into the payloads of a provider. */
const looksInto = ({ handlers }: InboxParts, { schemas }: Provider): boolean =>
  handlers.some(looksInside) || schemas !== undefined;

/** Makes the event to store. Returns a promise only if a schema or the digest takes time. */
const newEvent = (
  parts: InboxParts,
  { provider, webhook, delivery }: Received,
  item: Inspected,
  body: Uint8Array,
): MaybePromise<NewEvent> => {
  // A delivery computes each of these when you ask for it, so ask once. It parses its body only if
  // a handler or a schema looks into it, or if nothing else tells what is in it.
  const looks = looksInto(parts, provider);
  const parsed = looks ? item.payload : undefined;
  const { id, type, dedupeKey } = item;
  const depth = looks ? undefined : item.depth;
  const payload = looks || depth !== undefined ? parsed : item.payload;
  const about = {
    provider: provider.name,
    type,
    data: looks ? dataOf(provider.verifier.scheme, payload) : undefined,
    payload,
  };
  const takers = parts.handlers.filter((handler) => wants(handler, about));
  const made = (fault: string | undefined, bodySha256: string): NewEvent => {
    const disposition = fault !== undefined ? "quarantined" : takers.length === 0 ? "ignored" : "accepted";
    return {
      provider: provider.name,
      dedupeKey,
      eventId: id,
      type,
      body,
      headers: keptHeaders(provider, webhook.headers),
      bodySha256,
      occurredAt: delivery.timestamp,
      receivedAt: parts.ports.clock.now(),
      disposition,
      reason: fault ?? (disposition === "ignored" ? "no handler wants it" : undefined),
      jobs: disposition === "accepted" ? eventJobs(parts.ports.telemetry, takers, about) : [],
    };
  };
  const fault = faultOf(provider, { id, type, payload, depth, dedupeKey }, takers);
  const digest = sha256HexSoon(body);
  return isPromise(fault) || isPromise(digest)
    ? Promise.all([fault, digest]).then(([found, hex]) => made(found, hex))
    : made(fault, digest);
};

/** The names of the headers that are kept, by scheme: each event of a scheme has the same. */
const keptNames = new WeakMap<Scheme, readonly string[]>();

const keptNamesOf = (scheme: Scheme): readonly string[] => {
  const known = keptNames.get(scheme);
  if (known !== undefined) return known;
  const names = ["content-type", "user-agent", ...metadataHeaders(scheme)];
  keptNames.set(scheme, names);
  return names;
};

/**
 * The headers that are stored with the event: none that could hold a credential, and those in which
 * the sender tells what belongs to the event's metadata.
 */
const keptHeaders = ({ verifier }: Provider, headers: IncomingWebhook["headers"]): Readonly<Record<string, string>> => {
  const kept: Record<string, string> = {};
  for (const name of keptNamesOf(verifier.scheme)) {
    const value = headers[name];
    if (typeof value === "string") kept[name] = value.slice(0, 512);
  }
  const { traceparent } = headers;
  if (traceIdOf(traceparent) !== undefined) kept.traceparent = String(traceparent);
  return kept;
};

type Report = (webhook: IncomingWebhook, event: NewEvent | undefined, outcome: AcceptOutcome | undefined) => void;

/** Tells operators what became of an event. */
const createReport = ({ ports, lines: mostAlike = 10 }: InboxParts): Report => {
  const linesOf = (message: string) => createBoundedLines(ports, { level: "warn", message, mostAlike });
  const altered = linesOf("further repeats of events carried other bodies");
  const quarantined = linesOf("further webhooks were quarantined");

  return (webhook, event, outcome) => {
    if (event === undefined || outcome === undefined) return;
    const { provider, type } = event;
    const result = outcome.outcome === "duplicate" ? "duplicate" : event.disposition;
    ports.telemetry.count("webhooks_received", { provider, result });
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

const answerTo = (events: readonly NewEvent[], outcomes: readonly AcceptOutcome[]): Answer => {
  const stored = outcomes.map(({ id, outcome }, index) => ({
    id: String(id),
    status: outcome === "duplicate" ? outcome : (events[index]?.disposition ?? "accepted"),
  }));
  const [first] = stored;
  return {
    status: 200,
    body: stored.length === 1 ? first : { events: stored },
    log: {
      provider: events[0]?.provider,
      event: first?.id,
      result: first?.status,
      events: stored.length,
      trace_id: traceIdOf(events[0]?.headers.traceparent),
    },
  };
};

/** All values, at once if none of them is a promise. */
const together = <Value>(values: readonly MaybePromise<Value>[]): MaybePromise<readonly Value[]> =>
  values.some(isPromise) ? Promise.all(values) : (values as readonly Value[]);
