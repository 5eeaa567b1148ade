import { expect, test } from "vitest";
import { schemes } from "../src/all-schemes.ts";
import type { Scheme } from "../src/index.ts";
import { at, textAt } from "../src/places.ts";

/** Bodies as the senders' documents show them, each with its data. */
const bodies: Readonly<Record<string, (data: unknown) => unknown>> = {
  klaviyo: (data) => ({ meta: { timestamp: "2026-11-22T12:00:00+00:00" }, data }),
  // docs.knock.app, outbound webhooks: `data` is the entity that the event is about.
  knock: (data) => ({ type: "message.sent", id: "1", created_at: "2026-11-22T12:00:00Z", data, event_data: null }),
  // developer.okta.com, event hooks: the events stand in `data.events`.
  okta: (data) => ({ eventId: "1", eventType: "com.okta.event_hook", contentType: "application/json", data }),
  // Changes of the configuration; events of users come as a bare list, which is all data.
  statsig: (data) => ({ data }),
};

test("the data of a sender is found where its documents show it", () => {
  const data = [{ id: "x" }];
  for (const [name, bodyWith] of Object.entries(bodies)) {
    const place = (schemes as Readonly<Record<string, Scheme>>)[name]?.data;
    expect([name, place === undefined ? undefined : at(bodyWith(data), place)]).toEqual([name, data]);
  }
});

/**
 * One delivery of each kind that a sender's documents show: its headers and its body, and what is
 * read from it.
 */
const deliveries: readonly (readonly [string, Readonly<Record<string, string>>, object, object])[] = [
  // shopify.dev, webhooks and events: the newer deliveries have the same headers without `X-`.
  [
    "shopify",
    { "x-shopify-webhook-id": "w1", "x-shopify-topic": "orders/create", "x-shopify-api-version": "2026-10" },
    {},
    { id: "w1", type: "orders/create", apiVersion: "2026-10" },
  ],
  [
    "shopify",
    { "shopify-webhook-id": "w2", "shopify-topic": "Product", "shopify-api-version": "2026-10" },
    {},
    { id: "w2", type: "Product", apiVersion: "2026-10" },
  ],
  [
    "shopify",
    {
      ...{ "x-shopify-webhook-id": "w1", "shopify-webhook-id": "w2" },
      ...{ "x-shopify-topic": "orders/create", "shopify-topic": "Product" },
      ...{ "x-shopify-api-version": "2026-10", "shopify-api-version": "2026-07" },
    },
    {},
    { id: "w1", type: "orders/create", apiVersion: "2026-10" },
  ],
  // support.atlassian.com/bitbucket-cloud/docs/event-payloads; confluence.atlassian.com, Data
  // Center, event payload.
  [
    "bitbucket",
    { "x-request-uuid": "u1", "x-event-key": "repo:push", "x-attempt-number": "2" },
    {},
    { id: "u1", type: "repo:push", attempt: "2" },
  ],
  [
    "bitbucket",
    { "x-request-id": "i1", "x-event-key": "repo:refs_changed" },
    {},
    { id: "i1", type: "repo:refs_changed", attempt: undefined },
  ],
  // developer.squareup.com/docs/webhooks/step2subscribe: the metadata headers.
  [
    "square",
    { "square-retry-number": "3" },
    { event_id: "e1", type: "payment.created", data: {} },
    { id: "e1", type: "payment.created", attempt: "3" },
  ],
  // docs.gitlab.com, webhook events: group members, subgroups and projects have no `object_kind`.
  ["gitlab", { "webhook-id": "w1" }, { object_kind: "push", event_name: "push" }, { id: "w1", type: "push" }],
  [
    "gitlab",
    { "webhook-id": "w1" },
    { event_name: "user_add_to_group", group_id: 1 },
    { id: "w1", type: "user_add_to_group" },
  ],
  // developers.intercom.com, webhook models: a ping has no id.
  [
    "intercom",
    {},
    { type: "notification_event", id: "notif_1", topic: "user.created", delivery_attempts: 1 },
    { id: "notif_1", type: "user.created", attempt: "1" },
  ],
  ["intercom", {}, { type: "notification_event", id: null, topic: "ping" }, { id: undefined, type: "ping" }],
];

test.each(deliveries)(
  "id, type, attempt and version of %s are read from where its documents show them: %j",
  (...one) => {
    const [name, headers, body, expected] = one;
    const scheme = (schemes as Readonly<Record<string, Scheme>>)[name];
    const inBody = (path: string) => at(body, path);
    const { attempt, apiVersion } = scheme?.metadata ?? {};
    expect({
      id: textAt(scheme?.id, headers, inBody),
      type: textAt(scheme?.type, headers, inBody),
      attempt: textAt(attempt, headers, inBody),
      apiVersion: textAt(apiVersion, headers, inBody),
    }).toEqual({ attempt: undefined, apiVersion: undefined, ...expected });
    const missing = (["id", "type"] as const).filter((part) => textAt(scheme?.[part], headers, inBody) === undefined);
    // If a part that every delivery must have is missing, no handler gets the event.
    expect(missing.filter((part) => scheme?.promises?.[part] === "promised")).toEqual([]);
  },
);

test("what Paddle tells about a delivery is found where its documents show it", () => {
  // developer.paddle.com/webhooks/about/how-webhooks-work: several share an `event_id`, each has a
  // `notification_id` of its own.
  const body = { event_id: "evt_1", notification_id: "ntf_1", event_type: "transaction.paid", data: { id: "txn_1" } };
  const { deliveryId } = schemes.paddle.metadata ?? {};
  expect(textAt(deliveryId, {}, (path) => at(body, path))).toBe("ntf_1");
  expect(textAt(schemes.paddle.id, {}, (path) => at(body, path))).toBe("evt_1");
});
