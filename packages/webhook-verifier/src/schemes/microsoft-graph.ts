import { queryOf, textAnswer } from "../answers.ts";
import { refuse } from "../errors.ts";
import { textSecret } from "../keys/secret.ts";
import { asText, at } from "../places.ts";
import { textOf, utf8 } from "../runtime.ts";
import type { Scheme } from "../scheme.ts";

const maxItems = 1000;

const parse = (body: Uint8Array): unknown => {
  try {
    return JSON.parse(textOf(body) ?? "");
  } catch (cause) {
    return refuse("body_malformed", "The body is not JSON.", cause);
  }
};

const notifications = (payload: unknown): readonly unknown[] => {
  const items = at(payload, "value");
  return Array.isArray(items) && items.length > 0 && items.length <= maxItems
    ? items
    : refuse("body_malformed", `The body has no list of notifications, or more than ${maxItems}.`);
};

/**
 * Microsoft Graph change notifications: every item shows the `clientState` you gave the subscription. Nothing of the
 * request is authenticated. All items must show it.
 */
export const microsoftGraph: Scheme = {
  name: "microsoft-graph",
  facts: {
    title: "Microsoft Graph",
    headers: [],
    signed: "nothing: `clientState` of every item is compared with yours",
    encoding: "text",
    keyFrom: "The `clientState` you gave when you made the subscription.",
    confidence: "confirmed",
    source: "https://learn.microsoft.com/graph/change-notifications-delivery-webhooks",
    handshake: "any request with `validationToken`: the token as text",
    notes: [
      "Rich notifications add `validationTokens` (JWTs of Microsoft) and encrypted content: neither is checked here.",
      "Lifecycle notifications come the same way, with `lifecycleEvent`.",
    ],
  },
  key: textSecret("token"),
  covered: ["sender"],
  items: (payload) =>
    notifications(payload).map((item) => ({
      id: asText(at(item, "id")),
      type: asText(at(item, "changeType")) ?? asText(at(item, "lifecycleEvent")),
      payload: item,
    })),
  read: ({ body }) => {
    const states = notifications(parse(body)).map(
      (item) => asText(at(item, "clientState")) ?? refuse("signature_missing", "An item has no clientState."),
    );
    return states.map((state, index) => ({
      signatures: [{ bytes: utf8(state) }],
      // Nothing is signed; the bytes still tell deliveries apart.
      signed: index === 0 ? [body] : [],
    }));
  },
  handshake: ({ url }) => {
    const token = queryOf(url, "validationToken");
    return token === undefined ? undefined : textAnswer(token);
  },
  sign: async ({ method, url, headers, body }, [key]) => {
    if (key === undefined) throw new TypeError("no key");
    const clientState = textOf(await key.sign([]));
    const payload = parse(body);
    const value = notifications(payload).map((item) => ({ ...(item as Record<string, unknown>), clientState }));
    return {
      method,
      ...(url !== undefined && { url }),
      headers,
      body: utf8(JSON.stringify({ ...(payload as Record<string, unknown>), value })),
    };
  },
};
