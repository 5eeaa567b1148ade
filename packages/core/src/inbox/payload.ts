import { utf8Decode } from "../runtime.ts";
import { exactValue } from "./exact-json.ts";
import type { Provider } from "./provider.ts";

/**
 * Reads a stored event's body. Whole numbers that a double cannot hold are of type `bigint`. It is JSON, unless the sender's scheme reads forms or signed
 * envelopes. The events of a batch are stored as JSON, one by one.
 */
export const payloadOf = (provider: Provider | undefined, body: Uint8Array): unknown => {
  const { parse, items } = provider?.verifier.scheme ?? {};
  return parse === undefined || items !== undefined ? parsedJson(body) : parse(body);
};

/** The body as JSON, or `undefined` if it is not JSON. */
const parsedJson = (body: Uint8Array): unknown => {
  try {
    return exactValue(JSON.parse(utf8Decode(body)), body);
  } catch {
    return undefined;
  }
};
