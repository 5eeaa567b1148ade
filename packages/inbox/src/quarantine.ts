import { isObject, isStorable } from "@postern/core/internal";
import { dataOf, namesIn } from "./event-parts.ts";
import { withIntegers } from "./exact-json.ts";
import type { InboxHandler } from "./handler.ts";
import { matchesType } from "./handler.ts";
import { deepest, isTooDeep } from "./payload-depth.ts";
import { checkPayload } from "./payload-schema.ts";
import type { Provider } from "./provider.ts";
import { valueAt } from "./value-at.ts";

/**
 * The length of the dedupe key's column. Longer ids could not be told apart from others with the
 * same beginning.
 */
export const maxKeyLength = 191;
const maxTypeLength = 128;

/** The facts that decide whether an event is well-formed for its sender. */
export interface Inspected {
  readonly id?: string | undefined;
  readonly type?: string | undefined;
  readonly dedupeKey: string;
  /** `undefined` if the body cannot be read, or if `depth` is given and nothing looks into it. */
  readonly payload: unknown;
  /**
   * How many levels the payload has, if it is known without parsing that the payload is JSON and
   * its type a text. Otherwise `undefined`.
   */
  readonly depth?: number | undefined;
  /** Whether the sender's data is there, if `depth` is known. */
  readonly hasData?: boolean | undefined;
}

type Taker = Pick<InboxHandler, "name" | "schema" | "integers">;

/**
 * Why the event cannot be given to `takers`, the handlers that want it; `undefined` if it can. It
 * answers without waiting if there is no schema to check. If `isOverruled`, what the sender's scheme
 * wants does not count: an operator has looked at the event. Bounds and schemas always count.
 */
export const faultOf = (
  provider: Provider,
  event: Inspected,
  takers: readonly Taker[],
  isOverruled = false,
): Promise<string | undefined> | string | undefined => {
  const { scheme } = provider.verifier;
  const { depth } = event;
  // Of some senders, a body that only your own code can read is an ordinary one.
  const isRead = depth !== undefined || event.payload !== undefined;
  if (!isOverruled && !isRead && scheme.json !== "usual") return "the body is not JSON";
  if (depth === undefined ? isTooDeep(event.payload) : depth > deepest) return "the body is nested too deeply";
  const unkept = isOverruled ? undefined : unkeptPromise(scheme, event);
  if (unkept !== undefined) return unkept;
  if (event.dedupeKey.length > maxKeyLength) return "the event's id is too long";
  if ((event.type?.length ?? 0) > maxTypeLength) return "the event's type is too long";
  if (!isStorable(event.id) || !isStorable(event.type) || !isStorable(event.dedupeKey))
    return "the event's id or type holds NUL characters or lone surrogates";
  if (!isOverruled && scheme.needsData === true && !hasData(scheme.data, event))
    return `the event has no object in "${scheme.data}"`;
  let hasSchema = provider.schemas !== undefined;
  for (const { schema } of takers) if (schema !== undefined) hasSchema = true;
  return hasSchema ? schemaFault(provider, event, takers) : undefined;
};

/** What the sender does not promise is optional: an event without it is an ordinary one. */
const unkeptPromise = (
  { promises, type: place }: Provider["verifier"]["scheme"],
  { id, type, depth, payload }: Inspected,
): string | undefined => {
  if (id === undefined && promises?.id === "promised") return "the event has no id";
  if (type !== undefined || promises?.type !== "promised") return undefined;
  const stray = depth === undefined ? strayType(place, payload) : undefined;
  return stray === undefined ? "the event has no type" : `the event's type is ${stray}, not text`;
};

const hasData = (place: string | undefined, { depth, payload, ...event }: Inspected): boolean =>
  depth === undefined ? isObject(valueAt(payload, place ?? "")) : event.hasData === true;

/** What stands at the place of the type, if that is in the body and no text. */
const strayType = (place: Provider["verifier"]["scheme"]["type"], payload: unknown): string | undefined => {
  for (const part of typeof place === "string" ? [place] : (place ?? [])) {
    if (!part.startsWith("body:")) continue;
    let value: unknown;
    for (const name of namesIn(part)) value ??= valueAt(payload, name);
    value ??= undefined;
    if (value === undefined || typeof value === "string") continue;
    return Array.isArray(value) ? "a list" : typeof value === "object" ? "an object" : `a ${typeof value}`;
  }
  return undefined;
};

const schemaFault = async (
  provider: Provider,
  { type, payload }: Inspected,
  takers: readonly Taker[],
): Promise<string | undefined> => {
  const ofProvider = Object.entries(provider.schemas ?? {}).filter(([pattern]) => matchesType(pattern, type));
  const data = dataOf(provider.verifier.scheme, payload);
  const wanted = [
    ...ofProvider.map(([pattern, schema]) => ({
      schema,
      of: payload,
      whose: `the schema of ${provider.name} ${pattern}`,
    })),
    ...takers.flatMap(({ name, schema, integers }) =>
      schema === undefined
        ? []
        : [{ schema, of: withIntegers(data, integers), whose: `the schema of handler ${name}` }],
    ),
  ];
  for (const { schema, of, whose } of wanted) {
    const checked = await checkPayload(schema, of);
    if ("fault" in checked) return `it does not fit ${whose}: ${checked.fault}`;
  }
  return undefined;
};
