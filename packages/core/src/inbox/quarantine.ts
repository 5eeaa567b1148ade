import { isStorable } from "../resources/text.ts";
import { utf8Decode } from "../runtime.ts";
import type { Provider } from "./provider.ts";

/** The dedupe key's column; a longer id could not be told apart from others that begin like it. */
const maxKeyLength = 191;
const maxTypeLength = 128;

/** What is looked at to tell whether an authentic event is what its sender's events are. */
export interface Inspected {
  readonly id?: string | undefined;
  readonly type?: string | undefined;
  readonly dedupeKey: string;
  /** `undefined` when the body is not JSON. */
  readonly payload: unknown;
}

/** Why the event cannot be handed to a handler; `undefined` when it can. */
export const faultOf = ({ verifier }: Provider, event: Inspected): string | undefined => {
  if (event.payload === undefined) return "the body is not JSON";
  if (verifier.scheme.id !== undefined && event.id === undefined) return "the event has no id";
  if (verifier.scheme.type !== undefined && event.type === undefined) return "the event has no type";
  if (event.dedupeKey.length > maxKeyLength) return "the event's id is too long";
  if ((event.type?.length ?? 0) > maxTypeLength) return "the event's type is too long";
  if (![event.id, event.type, event.dedupeKey].every(isStorable))
    return "the event's id or type holds NUL characters or lone surrogates";
  return undefined;
};

/** The body as JSON, or `undefined` when it is none. */
export const parsedJson = (body: Uint8Array): unknown => {
  try {
    return JSON.parse(utf8Decode(body));
  } catch {
    return undefined;
  }
};
