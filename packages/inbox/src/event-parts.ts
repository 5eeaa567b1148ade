import type { StoredEvent } from "@postern/core/ports";
import type { Scheme } from "@postern/webhook-verifier";
import { valueAt } from "./value-at.ts";

/**
 * What a sender tells about an event beside its data. A part is `undefined` if the sender does not
 * tell it, or if the body was deleted. Senders seldom sign what they tell in headers, so use it for
 * information only.
 */
export interface EventMetadata {
  /** The sender's id of the delivery; the event's id if the sender has no ids for deliveries. */
  readonly deliveryId: string | undefined;
  /** How many times the sender has tried, by the sender's own count. */
  readonly attempt: number | undefined;
  /** When the sender signed it, in milliseconds since the epoch. */
  readonly sentAt: number | undefined;
  /** The version of the sender's API in which the payload is written. */
  readonly apiVersion: string | undefined;
  /** The payload without its data. Empty if the whole payload is the data. */
  readonly rest: Readonly<Record<string, unknown>>;
}

/** The members of a scheme that say where the parts of an event are. */
export type EventPlaces = Pick<Scheme, "id" | "type" | "data" | "metadata">;

/**
 * The data of an event: the part of the payload that the sender's scheme names. It is the whole
 * payload if the scheme names no part, or if the payload lacks it.
 */
export const dataOf = (places: Pick<Scheme, "data"> | undefined, payload: unknown): unknown => {
  if (places?.data === undefined) return payload;
  const found = valueAt(payload, places.data);
  return found === undefined ? payload : found;
};

/** What the sender told beside the data, read from a stored event and its payload. */
export const metadataOf = (
  places: EventPlaces | undefined,
  event: Pick<StoredEvent, "eventId" | "occurredAt" | "headers">,
  payload: unknown,
): EventMetadata => {
  const { deliveryId, attempt, apiVersion } = places?.metadata ?? {};
  const told = (place: Scheme["id"]): string | undefined => textAt(place, event.headers, payload);
  return {
    deliveryId: told(deliveryId) ?? event.eventId,
    attempt: countOf(told(attempt)),
    sentAt: event.occurredAt,
    apiVersion: told(apiVersion),
    rest: restOf(places, payload),
  };
};

const listOf = (place: Scheme["id"]): readonly string[] =>
  typeof place === "string" ? [place] : place === undefined ? [] : place;

/** The headers that contain metadata; lower-case names. */
export const metadataHeaders = ({ metadata = {} }: Pick<Scheme, "metadata">): readonly string[] =>
  Object.values(metadata)
    .flatMap(listOf)
    .flatMap((place) => (place.startsWith("header:") ? namesIn(place) : []));

/** Places come from schemes, so they are few. Each is split once, and not for every event. */
const namesAt = new Map<string, readonly string[]>();

/** The alternative names at one place. The first one that is present counts. */
export const namesIn = (place: string): readonly string[] => {
  const known = namesAt.get(place);
  if (known !== undefined) return known;
  const names = place.slice(place.indexOf(":") + 1).split("|");
  namesAt.set(place, names);
  return names;
};

const textAt = (place: Scheme["id"], headers: StoredEvent["headers"], payload: unknown): string | undefined =>
  listOf(place)
    .flatMap((one) => {
      const values = namesIn(one).map((name) => (one.startsWith("header:") ? headers[name] : valueAt(payload, name)));
      const found = values.find(
        (value) => typeof value === "string" || typeof value === "bigint" || Number.isSafeInteger(value),
      );
      return found === undefined ? [] : [String(found)];
    })
    .join(".") || undefined;

const countOf = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const restOf = (places: EventPlaces | undefined, payload: unknown): EventMetadata["rest"] => {
  if (places?.data === undefined || valueAt(payload, places.data) === undefined) return {};
  return without(payload, places.data.split("."));
};

/** The object without the member at the path. All other members stay. */
const without = (value: unknown, [first = "", ...steps]: readonly string[]): EventMetadata["rest"] => {
  if (!isObject(value)) return {};
  const { [first]: found, ...rest } = value;
  return steps.length === 0 ? rest : { ...rest, [first]: without(found, steps) };
};

/** The prefix of a path that leads into the whole payload instead of the data. */
const wholePayload = "$.";

/** Other beginnings of paths: of a kept header, and of a parameter of the sender's URL. */
const [ofHeader, ofQuery] = ["header:", "query:"] as const;

/** The value that a path of `where` leads to: in the data, or where its beginning says. */
export const filteredValue = (
  {
    data,
    payload,
    headers,
    query,
  }: {
    readonly data: unknown;
    readonly payload: unknown;
    readonly headers: Readonly<Record<string, unknown>>;
    readonly query: Readonly<Record<string, unknown>>;
  },
  path: string,
): unknown => {
  if (path.startsWith(wholePayload)) return valueAt(payload, path.slice(wholePayload.length));
  if (path.startsWith(ofHeader)) return headers[path.slice(ofHeader.length).toLowerCase()];
  return path.startsWith(ofQuery) ? query[path.slice(ofQuery.length)] : valueAt(data, path);
};

/**
 * Why a path of `where` was probably meant for the payload: it goes through the place of this
 * sender's data, or begins with a member beside the data. `undefined` if the path makes sense for
 * the data.
 */
export const misplacedPath = (
  { data, beside = [] }: Pick<Scheme, "data" | "beside">,
  path: string,
): string | undefined => {
  if (data === undefined || path.startsWith(wholePayload)) return undefined;
  const inPayload = `"${wholePayload}${path}"`;
  if (`${path}.`.startsWith(`${data}.`)) {
    const inData = path.slice(data.length + 1);
    const instead = inData === "" ? "the path of a value in it" : `"${inData}"`;
    return `"${path}" leads into the payload, and where reads the data, which is at "${data}" in it: write ${instead}, or ${inPayload} to read the payload`;
  }
  if (!beside.includes(path.split(".")[0] ?? "")) return undefined;
  return `"${path}" is in the payload, beside the data, and where reads the data, which is at "${data}": write ${inPayload} to read the payload`;
};
