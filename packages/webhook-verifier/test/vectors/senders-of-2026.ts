import { byBody, secret, sent } from "./sender-parts.ts";
import { base64, hex, millis, now, type Vector } from "./vector.ts";

const token = "a-token-that-only-the-two-know";
const shown = { keys: token, otherKeys: "another-token-of-the-same-kind" } as const;

const opened = '[{"eventCategoryType":"EngagementEvents.EmailOpen","timestampUTC":1795262400,"mid":1}]';
const submitted =
  '{"eventId":"t1","eventType":"FORM_RESPONSE","createdAt":"2026-11-21T12:00:00.000Z","data":{"fields":[]}}';
const paid = '{"id":"evt_1","name":"payment_intent.succeeded","account_id":"acct_1","data":{"object":{}}}';
const stopped =
  '{"version":"0","id":"b1","detail-type":"EC2 Instance State-change Notification","source":"aws.ec2","detail":{"state":"stopped"}}';
const subscribed = "type=subscribe&fired_at=2026-11-21+12%3A00%3A00&data%5Bemail%5D=ann%40example.com";
const ride =
  '{"aspect_type":"create","event_time":1795262400,"object_id":12345678987654321,"object_type":"activity","owner_id":1,"subscription_id":2,"updates":{}}';

/** Vectors of senders that were added in 2026. */
export const sendersOf2026: Readonly<Record<string, Vector>> = {
  airwallex: sent(
    "formula",
    { "x-timestamp": millis, "x-signature": hex("sha256", secret, millis, paid) },
    {
      id: "evt_1",
      type: "payment_intent.succeeded",
      timestamp: now,
      covered: ["timestamp", "body", "id", "type"],
      dedupeKey: "evt_1",
    },
    paid,
  ),
  tally: sent(
    "formula",
    { "tally-signature": base64("sha256", secret, submitted) },
    { id: "t1", type: "FORM_RESPONSE", covered: ["body", "id", "type"], dedupeKey: "t1" },
    submitted,
  ),
  "salesforce-marketing-cloud": sent(
    "formula",
    { "x-sfmc-ens-signature": base64("sha256", secret, opened) },
    { covered: ["body"], dedupeKey: byBody(opened) },
    opened,
  ),
  "google-channels": {
    from: "documentation",
    ...shown,
    request: {
      headers: {
        "x-goog-channel-id": "c1",
        "x-goog-channel-token": token,
        "x-goog-message-number": "10",
        "x-goog-resource-id": "r1",
        "x-goog-resource-state": "exists",
        "x-goog-resource-uri": "https://www.googleapis.com/calendar/v3/calendars/c/events?alt=json",
      },
      body: "",
    },
    expected: { id: "c1.10", type: "exists", covered: ["sender"], dedupeKey: "2:id:c1.10" },
    resigning: { keys: token, headers: { "x-goog-message-number": "10", "x-goog-resource-state": "exists" } },
  },
  "aws-eventbridge": {
    from: "documentation",
    ...shown,
    request: { headers: { authorization: `Bearer ${token}` }, body: stopped },
    expected: {
      id: "b1",
      type: "EC2 Instance State-change Notification",
      covered: ["sender"],
      dedupeKey: "b1",
    },
    signing: { keys: token },
  },
  make: {
    from: "formula",
    ...shown,
    request: { headers: { "x-make-apikey": token, "idempotency-key": "m1" }, body: "{}" },
    expected: { id: "m1", covered: ["sender"], dedupeKey: "2:id:m1" },
    resigning: { keys: token },
  },
  mailchimp: {
    from: "formula",
    ...shown,
    request: {
      url: `https://hooks.example.com/in?secret=${token}`,
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: subscribed,
    },
    expected: { type: "subscribe", covered: ["sender"], dedupeKey: byBody(subscribed) },
    resigning: { keys: token, url: "https://hooks.example.com/in" },
  },
  strava: {
    from: "formula",
    ...shown,
    request: { url: `https://hooks.example.com/in?secret=${token}`, headers: {}, body: ride },
    expected: { type: "activity.create", covered: ["sender"], dedupeKey: byBody(ride) },
    resigning: { keys: token, url: "https://hooks.example.com/in" },
  },
};
