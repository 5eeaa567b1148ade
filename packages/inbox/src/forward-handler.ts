import type { Ports } from "@postern/core";
import { AppError } from "@postern/core";
import { outsideName, utf8DecodeLossy } from "@postern/core/internal";
import type { ForwardAttempt, InboundResponse } from "@postern/core/ports";
import { defaultRetryPolicy, type HandlerContext, Permanent, RetryAt, type RetryPolicy } from "@postern/jobs";
import { checkSigningKeys, sign } from "@postern/webhook-verifier";
import { standardWebhooks } from "@postern/webhook-verifier/schemes/standard-webhooks";
import { type CircuitBreaker, createCircuitBreaker } from "./circuit-breaker.ts";
import type { InboxEvent, InboxHandler, PayloadFilter } from "./handler.ts";
import { keyHeader, queryText } from "./outside-body.ts";

export interface ForwardRoute {
  readonly provider: string;
  readonly type: string;
  /**
   * Only events with these values, by dotted path into the data (`$.` in front: into the payload).
   * With a list, any of its values fits.
   */
  readonly where?: PayloadFilter;
  /** Where to send events: an absolute http or https URL. */
  readonly url: string;
  /**
   * The keys that sign events (Standard Webhooks): `whsec_…` for HMAC, `whsk_…` for Ed25519. Give
   * several while one replaces another.
   */
  readonly secret: string | readonly string[];
  /** Distinguishes routes to the same URL. Default: the URL's host and path. */
  readonly name?: string;
  readonly retry?: RetryPolicy;
  /**
   * The queue of the forwards. Give a slow target a queue with limits of its own, so that it does not
   * take the slots of others. Default: `default`.
   */
  readonly queue?: string;
  /**
   * Also sends the query of the sender's URL in `postern-sender-query`. The target then sees
   * what anybody may have put there, unless the sender signs it. Default false.
   */
  readonly query?: boolean;
  /** How long the target may take to answer. Default 15 seconds. */
  readonly timeoutMs?: number;
  /**
   * Also allows loopback, private and other addresses that are not public. By default they are
   * refused.
   */
  readonly allowPrivate?: boolean;
}

const usualTimeoutMs = 15_000;

const prefix = "forward:";

/**
 * Whether a failed attempt of a handler says that a forward's target is away: it did not answer, answered
 * that it cannot, or was not called because of that. `line` is the first line of the error.
 */
export const saysTargetIsAway = (handler: string, line: string): boolean =>
  handler.startsWith(prefix) && !/the target answered [1-4]\d\d/.test(line);

/**
 * The circuits of targets, by origin: if a target is down for one route, it is down for all. All
 * routes of a process share them.
 */
type Circuits = (url: string) => CircuitBreaker;

export const createCircuits = ({ clock }: Pick<Ports, "clock">): Circuits => {
  const circuits = new Map<string, CircuitBreaker>();
  return (url) => {
    const origin = /^https?:\/\/[^/?#]+/i.exec(url)?.[0].toLowerCase() ?? url;
    const known = circuits.get(origin) ?? createCircuitBreaker(clock);
    circuits.set(origin, known);
    return known;
  };
};

/** How forwards are counted, besides the codes of errors. */
const statuses = ["2xx", "3xx", "4xx", "5xx", "failed", "circuit_open"] as const;

/**
 * Forwards each event to a URL of yours, signed anew as Standard Webhooks.
 *
 * - `webhook-id` is Postern's event id, with the time at which it was received. It is the same for
 *   every attempt, so that the receiver can drop repeats. The body is sent byte for byte.
 * - The headers of the sender that are kept with the event go along, each behind `postern-sender-`.
 * - 2xx is success. 410 ends the event for good. With 429 and 503, `Retry-After` is honoured for
 *   everything that goes to the target. Anything else is retried by the retry policy.
 * - If a target does not work (no answer, 5xx), its circuit keeps calls away for a while. An
 *   attempt that the circuit prevented counts as failed, so that a dead target cannot keep an event
 *   alive for ever.
 * - Each answer is kept.
 *
 * @throws TypeError for a key that cannot sign.
 */
export const forwardHandler = (
  ports: Pick<Ports, "fetcher" | "clock" | "storage" | "telemetry">,
  route: ForwardRoute,
  circuits: Circuits = createCircuits(ports),
): InboxHandler => {
  const { fetcher, clock } = ports;
  const { url, retry = defaultRetryPolicy, timeoutMs = usualTimeoutMs, allowPrivate = false } = route;
  const name = `${prefix}${route.name ?? url.replace(/^https?:\/\//, "").replace(/[?#].*$/, "")}`.slice(0, 128);
  const keys = typeof route.secret === "string" ? [route.secret] : route.secret;
  checkSigningKeys(standardWebhooks, keys);
  const circuit = circuits(url);
  for (const status of statuses) ports.telemetry.count("forwards", { handler: name, status }, 0);

  const send = async (event: InboxEvent, { signal }: HandlerContext): Promise<InboundResponse> => {
    const signed = await sign(standardWebhooks, {
      keys,
      body: event.body,
      id: outsideName(event.provider, event.id, event.receivedAt),
      timestamp: clock.now(),
    });
    const { traceparent, "content-type": contentType = "application/json", [keyHeader]: _key, ...told } = event.headers;
    return fetcher.fetch({
      url,
      method: "POST",
      headers: {
        ...signed,
        ...Object.fromEntries(Object.entries(told).map(([header, value]) => [`postern-sender-${header}`, value])),
        ...(route.query === true && Object.keys(event.query).length > 0
          ? { "postern-sender-query": queryText(event.query) }
          : {}),
        "content-type": contentType,
        "postern-provider": event.provider,
        ...(event.type === undefined ? {} : { "postern-event-type": encodeURI(event.type) }),
        ...(traceparent === undefined ? {} : { traceparent }),
      },
      body: event.body,
      timeoutMs,
      maxResponseBytes: keptBodyBytes,
      signal,
      allowPrivate,
    });
  };

  /** Calls the target, tells the circuit the result, and keeps the answer. */
  const call = async (event: InboxEvent, context: HandlerContext): Promise<InboundResponse> => {
    const from = { at: clock.now(), since: clock.monotonic() };
    const keep = (result: Pick<ForwardAttempt, "status" | "headers" | "body" | "error">): Promise<void> =>
      keepAttempt(ports, context, {
        eventId: Number(event.id),
        handler: name,
        attempt: context.attempt,
        at: from.at,
        ms: Math.round(clock.monotonic() - from.since),
        ...result,
      });
    try {
      const answer = await send(event, context);
      if (answer.status >= 500) circuit.failed();
      else circuit.succeeded();
      ports.telemetry.count("forwards", { handler: name, status: `${Math.floor(answer.status / 100)}xx` });
      await keep({ status: answer.status, headers: keptHeaders(answer), body: keptBody(answer), error: undefined });
      return answer;
    } catch (thrown) {
      circuit.failed();
      ports.telemetry.count("forwards", { handler: name, status: thrown instanceof AppError ? thrown.code : "failed" });
      const error = thrown instanceof Error ? thrown.message : String(thrown);
      await keep({ status: undefined, headers: {}, body: "", error });
      throw thrown;
    } finally {
      ports.telemetry.observe("forward_ms", clock.monotonic() - from.since, { handler: name });
    }
  };

  return {
    name,
    provider: route.provider,
    type: route.type,
    ...(route.where === undefined ? {} : { where: route.where }),
    ...(route.queue === undefined ? {} : { queue: route.queue }),
    retry,
    timeoutMs: timeoutMs + 5_000,
    handle: async (event, context) => {
      if (!circuit.tryCall()) {
        ports.telemetry.count("forwards", { handler: name, status: "circuit_open" });
        throw new Error("the target was not called: it has not worked lately, or asked to be left alone");
      }
      const answer = await call(event, context);
      if (answer.status >= 200 && answer.status < 300) return;
      const said = `the target answered ${answer.status}`;
      if (answer.status === 410) throw new Permanent(`${said}: it is gone`);
      const isBusy = answer.status === 429 || answer.status === 503;
      const wait = isBusy ? retryAfterMs(answer.headers["retry-after"], ports) : undefined;
      if (wait === undefined) throw new Error(said);
      circuit.holdUntil(clock.monotonic() + wait);
      throw new RetryAt(context.now() + wait, said);
    },
  };
};

const maxWaitMs = 24 * 3600 * 1000;

/** RFC 9110, section 10.2.3: seconds or a date. At most a day. */
const retryAfterMs = (value: string | undefined, { clock }: Pick<Ports, "clock">): number | undefined => {
  if (value === undefined) return undefined;
  const wait = /^\d{1,9}$/.test(value) ? Number(value) * 1000 : Date.parse(value) - clock.now();
  return Number.isNaN(wait) ? undefined : Math.min(Math.max(wait, 0), maxWaitMs);
};

const keptBodyBytes = 2_048;
const keptHeaderNames = ["content-type", "date", "location", "retry-after", "x-request-id"];

/** Only headers that cannot hold a credential, cut short. */
const keptHeaders = ({ headers }: InboundResponse): Readonly<Record<string, string>> =>
  Object.fromEntries(
    keptHeaderNames.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name].slice(0, 512)]])),
  );

/** As text that every database can store. */
const keptBody = ({ body }: InboundResponse): string => utf8DecodeLossy(body).replaceAll("\0", "\ufffd");

/**
 * The target has already answered. Calling it again only because the record cannot be written would
 * be wrong.
 */
const keepAttempt = async (
  { storage, telemetry }: Pick<Ports, "storage" | "telemetry">,
  context: HandlerContext,
  attempt: ForwardAttempt,
): Promise<void> => {
  try {
    await storage.forwards.keep([attempt]);
  } catch (thrown) {
    telemetry.log("warn", "a target's answer could not be kept", { key: context.idempotencyKey }, thrown);
  }
};
