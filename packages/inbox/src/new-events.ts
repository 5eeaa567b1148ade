import type { NewJob, Ports } from "@postern/core";
import { isPromise, type MaybePromise, storable, utf8Encode } from "@postern/core/internal";
import type { NewEvent, Telemetry } from "@postern/core/ports";
import { jobOf } from "@postern/jobs/internal";
import { type Delivery, sha256HexSoon } from "@postern/webhook-verifier";
import { dataOf } from "./event-parts.ts";
import { exactJson, exactText, exactValue, hasLongDigits, withIntegers } from "./exact-json.ts";
import { type InboxHandler, type OrderedBy, wants } from "./handler.ts";
import type { IncomingWebhook } from "./incoming-webhook.ts";
import { isPayload, outsideOf, parametersOf, wholeQuery } from "./outside-body.ts";
import { isTooDeep } from "./payload-depth.ts";
import type { Provider } from "./provider.ts";
import { faultOf } from "./quarantine.ts";
import { keysOf, type SignedAgain, storableKey, type Verified } from "./repeat-key.ts";

const maxKeyBytes = 191;

const withIntegersOf = (event: OrderedBy, integers: InboxHandler["integers"]): OrderedBy =>
  integers === undefined || integers === "bigint"
    ? event
    : { ...event, data: withIntegers(event.data, integers), payload: withIntegers(event.payload, integers) };

/** One job for each handler that wants the event. */
export const eventJobs = (
  telemetry: Pick<Telemetry, "log">,
  takers: readonly InboxHandler[],
  event: OrderedBy,
): readonly NewJob[] => {
  const jobs: NewJob[] = [];
  for (const handler of takers) {
    const orderKey = handler.orderKey === undefined ? undefined : orderKeyOf(telemetry, handler, event);
    jobs.push(orderKey === undefined ? jobOf(handler) : { ...jobOf(handler), orderKey });
  }
  return jobs;
};

const orderKeyOf = (
  telemetry: Pick<Telemetry, "log">,
  { name, orderKey, integers }: InboxHandler,
  event: OrderedBy,
): string | undefined => {
  try {
    const key = orderKey?.(withIntegersOf(event, integers));
    if (key === undefined) return undefined;
    const stored = storable(key);
    if (stored !== "" && utf8Encode(stored).length <= maxKeyBytes) return stored;
    throw new TypeError(`an order key has 1 to ${maxKeyBytes} bytes`);
  } catch (thrown) {
    // The event is authentic. Running it out of order is better than refusing it for good.
    telemetry.log("error", "no order key could be made; the job runs in no order", { handler: name }, thrown);
    return undefined;
  }
};

/** A verified delivery and where it came from. */
export interface Received {
  readonly provider: Provider;
  readonly webhook: IncomingWebhook;
  readonly delivery: Delivery;
}

/**
 * Reads what takes long in a delivery, each part in a turn of the event loop of its own. The
 * delivery remembers what was read.
 */
export const inspectInPieces = async (
  maker: Pick<EventMaker, "looksInside">,
  { provider, delivery }: Received,
  pause: () => Promise<void>,
): Promise<void> => {
  const readEach = [
    () => delivery.dedupeKey,
    () =>
      maker.looksInside || provider.schemas !== undefined ? delivery.payload : (delivery.depth ?? delivery.payload),
  ];
  for (const read of readEach) {
    await pause();
    read();
  }
  await pause();
};

/** What makes events of deliveries. */
export interface EventMaker {
  readonly ports: Pick<Ports, "clock" | "ids" | "telemetry">;
  /** The handlers that may want the events. */
  readonly handlers: readonly InboxHandler[];
  /** Whether one of them looks into the payload of an event before it gets it. */
  readonly looksInside: boolean;
  readonly signedAgain: SignedAgain;
}

/** One event, or one for each item of a batch. */
export const eventsOf = (maker: EventMaker, received: Received): MaybePromise<readonly NewEvent[]> => {
  const { delivery, webhook } = received;
  const { items } = delivery;
  // A batch that is nested too deep to be written anew item by item is stored as a whole.
  if (items === undefined || isTooDeep(delivery.payload)) {
    // Where the query is the payload, it is kept as the body.
    const body = isPayload(received.provider.verifier.scheme, webhook)
      ? utf8Encode(wholeQuery(received.provider, webhook))
      : webhook.body;
    const event = newEvent(maker, received, delivery, body);
    return isPromise(event) ? event.then((made) => [made]) : [event];
  }
  const exact = exactItems(received);
  return together(
    items.map((item, index) => {
      const payload = exact?.[index]?.payload ?? item.payload;
      return newEvent(maker, received, { ...item, payload }, utf8Encode(exactText(payload)));
    }),
  );
};

/** The events of a batch with all digits of their numbers; `undefined` if they have them. */
const exactItems = ({
  provider,
  delivery,
  webhook,
}: Received): readonly { readonly payload: unknown }[] | undefined => {
  const exact = exactPayload(provider, webhook, delivery);
  return exact === delivery.payload ? undefined : provider.verifier.scheme.items?.(exact);
};

/** Whether a handler looks into the payload of an event before it gets it. */
export const looksInside = ({ where, orderKey, schema }: InboxHandler): boolean =>
  where !== undefined || orderKey !== undefined || schema !== undefined;

/** The payload of a delivery with all digits of its numbers. */
const exactPayload = (
  { verifier: { scheme } }: Provider,
  { headers }: Pick<IncomingWebhook, "headers">,
  { payload, body }: Pick<Delivery, "payload" | "body">,
): unknown => {
  if (scheme.parse === undefined) return exactValue(payload, body);
  return hasLongDigits(body) ? scheme.parse(body, headers, exactJson) : payload;
};

/** Makes the event to store. Returns a promise only if a schema or the digest takes time. */
const newEvent = (
  maker: EventMaker,
  { provider, webhook, delivery }: Received,
  item: Verified,
  body: Uint8Array,
): MaybePromise<NewEvent> => {
  // A delivery computes each of these when you ask for it, so ask once. It parses its body only if
  // a handler or a schema looks into it, or if nothing else tells what is in it.
  const looks = maker.looksInside || provider.schemas !== undefined;
  // Items of a batch have all digits already.
  const parsed = looks ? (item === delivery ? exactPayload(provider, webhook, delivery) : item.payload) : undefined;
  const { id, type } = item;
  const receivedAt = maker.ports.clock.now();
  const { dedupeKey, otherKeys, eventId } = keysOf(item, receivedAt, maker.ports.ids);
  // Events of a batch have an id in the body, which is signed.
  const again = item === delivery ? maker.signedAgain(provider.name, delivery) : undefined;
  const depth = looks ? undefined : item.depth;
  const hasData = depth === undefined ? undefined : item.hasData;
  const payload = looks || depth !== undefined ? parsed : item.payload;
  const outside = outsideOf(provider, webhook, delivery.keyId);
  const { covered } = delivery;
  const about = {
    provider: provider.name,
    type,
    headers: outside.headers,
    query: parametersOf(outside.query),
    data: looks ? dataOf(provider.verifier.scheme, payload) : undefined,
    payload,
  };
  const takers: InboxHandler[] = [];
  for (const handler of maker.handlers) if (wants(handler, about)) takers.push(handler);
  const made = (fault: string | undefined, bodySha256: string): NewEvent => {
    const reason = fault ?? again;
    const disposition = fault !== undefined ? "quarantined" : takers.length === 0 ? "ignored" : "accepted";
    return {
      provider: provider.name,
      dedupeKey: storableKey(dedupeKey),
      ...(otherKeys === undefined ? undefined : { otherKeys }),
      // Only quarantined events have an id or a type that not every database stores.
      eventId: fault === undefined || eventId === undefined ? eventId : storable(eventId),
      type: fault === undefined || type === undefined ? type : storable(type),
      body,
      ...outside,
      ...(covered === provider.verifier.scheme.covered ? undefined : { covered }),
      bodySha256,
      occurredAt: delivery.timestamp,
      receivedAt,
      disposition,
      reason: reason === undefined ? (disposition === "ignored" ? "no handler wants it" : undefined) : storable(reason),
      jobs: disposition === "accepted" ? eventJobs(maker.ports.telemetry, takers, about) : [],
    };
  };
  const fault = faultOf(provider, { id, type, payload, depth, hasData, dedupeKey }, takers);
  const digest = sha256HexSoon(body);
  return isPromise(fault) || isPromise(digest)
    ? Promise.all([fault, digest]).then(([found, hex]) => made(found, hex))
    : made(fault, digest);
};

/** All values, at once if none of them is a promise. */
const together = <Value>(values: readonly MaybePromise<Value>[]): MaybePromise<readonly Value[]> =>
  values.some(isPromise) ? Promise.all(values) : (values as readonly Value[]);
