import { expect, test } from "vitest";
import { type Scheme, schemes } from "../src/index.ts";
import { at } from "../src/places.ts";

/** Bodies in the form that the senders' documents show, with the data proper in each. */
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
