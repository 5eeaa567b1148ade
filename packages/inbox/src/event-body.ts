import { isObject } from "@postern/core/internal";
import type { Scheme } from "@postern/webhook-verifier";
import { valueAt, withValueAt } from "./value-at.ts";

/**
 * The dotted paths in the body at which a scheme reads a part. Empty if it reads it from elsewhere,
 * or from several places.
 */
export const pathsInBody = (place: Scheme["id"]): readonly string[] =>
  typeof place === "string" && place.startsWith("body:") ? place.slice("body:".length).split("|") : [];

interface EventParts {
  readonly id: string;
  readonly type: string | undefined;
  /** What the event is about. */
  readonly data: unknown;
  /** Further members of the payload. */
  readonly rest: Readonly<Record<string, unknown>>;
}

const withText = (body: Readonly<Record<string, unknown>>, place: Scheme["id"], text: string | undefined) => {
  const paths = pathsInBody(place);
  const [first] = paths;
  const isThere = paths.some((path) => valueAt(body, path) !== undefined);
  return first === undefined || text === undefined || isThere ? body : withValueAt(body, first, text);
};

/**
 * An event as its sender writes it: each part at the place where the scheme reads it, unless
 * something else is there already. A part that the scheme reads from a header is not in the body.
 * `type` has as many words, joined by full stops, as the scheme has places for it.
 */
export const eventBody = (
  scheme: Pick<Scheme, "id" | "type" | "data">,
  { id, type, data, rest }: EventParts,
): { readonly body: unknown; readonly headerType: string | undefined } => {
  const whole = scheme.data === undefined;
  if (whole && data !== undefined && !isObject(data)) return { body: data, headerType: type };
  const filled = whole || data === undefined ? { ...rest, ...Object(data) } : withValueAt(rest, scheme.data, data);
  const places = typeof scheme.type === "object" ? scheme.type : [scheme.type];
  const words = places.length === 1 ? [type] : (type?.split(".") ?? []);
  const last = words.slice(places.length - 1).join(".");
  const typed = places.reduce<Readonly<Record<string, unknown>>>(
    (body, place, at) => withText(body, place, (at < places.length - 1 ? words[at] : last) || undefined),
    withText(filled, scheme.id, id),
  );
  return { body: typed, headerType: places.length === 1 ? type : words[0] };
};
