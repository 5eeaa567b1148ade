import type { StoredEvent } from "@postern/core/ports";
import { exactJson } from "./exact-json.ts";
import type { Provider } from "./provider.ts";

/**
 * Reads a stored event's body, with the headers that were kept. Whole numbers that a double cannot
 * hold are of type `bigint`. It is JSON, unless the sender's scheme reads forms or signed envelopes.
 * The events of a batch are stored as JSON, one by one.
 */
export const payloadOf = (
  provider: Provider | undefined,
  body: Uint8Array,
  headers: StoredEvent["headers"],
): unknown => {
  const { parse, items } = provider?.verifier.scheme ?? {};
  if (parse === undefined) return exactJson(body);
  const payload = parse(body, headers, exactJson);
  return payload === undefined && items !== undefined ? exactJson(body) : payload;
};
