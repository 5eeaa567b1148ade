import { utf8Decode } from "../runtime.ts";
import type { Provider } from "./provider.ts";

/**
 * A stored event's body as its sender means it: JSON, or what the sender's scheme makes of it where it writes forms or signed envelopes. The events
 * of a batch are stored as JSON, one by one.
 */
export const payloadOf = (provider: Provider | undefined, body: Uint8Array): unknown => {
  const { parse, items } = provider?.verifier.scheme ?? {};
  return parse === undefined || items !== undefined ? parsedJson(body) : parse(body);
};

/** The body as JSON, or `undefined` when it is none. */
const parsedJson = (body: Uint8Array): unknown => {
  try {
    return JSON.parse(utf8Decode(body));
  } catch {
    return undefined;
  }
};
