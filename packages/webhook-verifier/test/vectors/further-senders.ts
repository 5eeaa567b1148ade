import { body, byBody, named, secret, sent, standard, timed, timedOnly, typed } from "./sender-parts.ts";
import { base64, hex, millis, now, otherRsa, pem, seconds, type Vector } from "./vector.ts";

const hexSecret = Buffer.from("thirty-two bytes of a secret ...").toString("hex");
const otherHexSecret = Buffer.from("thirty-two bytes of another one.").toString("hex");

const check = '{"payload":{"resource_type":"check","action":"check.completed","object":{"id":"c1"}}}';
const tracking = '{"ts":1795262400,"event":"tracking_update","event_id":"e1","msg":{"tag":"Delivered"}}';
const order = '{"id":"n1","topic":"order.create","data":{"orderId":"o1"}}';
const batch = '{"events":[{"id":"f1","type":"order.completed","data":{}},{"id":"f2","type":"order.failed","data":{}}]}';
const viber = '{"event":"message","timestamp":1795262400000,"message_token":4912661846655238145,"message":{}}';
const purchase = '{"eventType":"Settled","category":"Purchase","data":{"id":"p1"}}';
const payment = '{"event_id": 9973000000138072, "event_type":"payment.succeeded","event_object":{"payment":{}}}';
const inbound = '{"type":"inbound_received","authorization":{"id":"cmp_1"},"payload":{"id":"evt_1"}}';

const recorded = `{
  "id": "b2c9e307-624e-4e7d-a5a4-1b74107d78c4",
  "type": "widget_created",
  "properties": {
    "customer_id": "5f794d50-085a-4db6-8d15-286e518b7225",
    "widget_id": "0891458d-b6f0-4fdd-a41e-380aae1a1e38"
  }
}`;
const metronomeTime = Date.UTC(2006, 0, 2, 22, 4, 5);
const orbTest =
  '{"id": "o4mmewpfNNTnjfZc", "created_at": "2024-03-27T15:42:29+00:00", "type": "resource_event.test", "properties": {"message": "A test webhook from Orb. Happy testing!"}}';
const orbSecret = "c-UGKYdnhHh436B_sMouYAPUvXyWpzOdunZBV5dFSD8";
const orbTime = Date.UTC(2024, 2, 27, 15, 42, 29, 551);
const finchSecret = "5WbX5kEWLlfzsGNjH64I8lOOqUB6e8FH";
const bridgeKey = `-----BEGIN PUBLIC KEY-----
MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAtqsEE4eI7EmzhcquGJXt
LX9PMK0UH6Kl1WIR21sv8HtueG8BuvvpP3MiN7ltzmIhS8KaynCjN4l+620PnXeu
xWG+CSnEdkinL9hCqbEid5vv9zl0j9LWiJx3FkKHqADU7cgm46aa8dKUdIQYF2X+
O7WmyLkC4wUM/mWhBPMsIQBznashRMZxx7XJjsVp27ACUE4eNIjEXbVYN6U8jSbU
hG++CfL8xXu+GHDqKmFE6Po6HnuURvLFVnCtE3mXXBcVFlPy+octfx8nOMLT3X8O
9UehIigJ34o2yMm/Fq3HUJzg2BsiAiGgtr0vmeoV9Q7upSNj9TuOumAzZFi4pYA+
qwIDAQAB
-----END PUBLIC KEY-----`;
const account = '{"id":"qzp0","object_type":"account","event_type":"created","event_time":"2026-11-21T12:00:00Z"}';
const settled = '{"eventId":"w1","eventDetails":{"type":"sentForSettlement"}}';
const call = '{"event":{"name":"shop/order.placed","data":{}},"ctx":{"run_id":"r1","attempt":0}}';

/** Vectors of senders whose shared secret signs the body, or the time and the body. */
export const furtherSenders: Readonly<Record<string, Vector>> = {
  // Accepted by @onfido/api 6.2.0 (WebhookEventVerifier.readPayload).
  onfido: sent(
    "package",
    { "x-sha2-signature": hex("sha256", secret, check) },
    { type: "check.completed", covered: ["body", "type"], dedupeKey: byBody(check) },
    check,
  ),
  dub: sent("formula", { "dub-signature": hex("sha256", secret, body) }, named),
  // Accepted by @nangohq/node 0.71.10 (verifyIncomingWebhookRequest).
  nango: sent("package", { "x-nango-hmac-sha256": hex("sha256", secret, body) }, { ...typed, dedupeKey: byBody(body) }),
  // Accepted by @hookdeck/sdk 0.4.0 (verifyWebhookSignature).
  hookdeck: sent(
    "package",
    { "x-hookdeck-signature": base64("sha256", secret, body), "x-hookdeck-eventid": "h1" },
    { id: "h1", covered: ["body"], dedupeKey: "2:id:h1" },
    body,
    { optionalHeaders: ["x-hookdeck-signature-2"] },
  ),
  aftership: sent(
    "formula",
    { "aftership-hmac-sha256": base64("sha256", secret, tracking) },
    { id: "e1", type: "tracking_update", covered: ["body", "id", "type"], dedupeKey: "e1" },
    tracking,
    { optionalHeaders: ["as-signature-hmac-sha256"] },
  ),
  fourthwall: sent("formula", { "x-fourthwall-hmac-sha256": base64("sha256", secret, body) }, named, body, {
    optionalHeaders: ["x-fourthwall-hmac-apps-sha256"],
  }),
  "help-scout": sent(
    "formula",
    { "x-helpscout-signature": base64("sha1", secret, body), "x-helpscout-event": "convo.assigned" },
    { type: "convo.assigned", covered: ["body"], dedupeKey: byBody(body, "convo.assigned") },
  ),
  squarespace: sent(
    "formula",
    { "squarespace-signature": hex("sha256", Buffer.from(hexSecret, "hex"), order) },
    { id: "n1", type: "order.create", covered: ["body", "id", "type"], dedupeKey: "n1" },
    order,
    { keys: hexSecret, otherKeys: otherHexSecret, signing: { keys: hexSecret } },
  ),
  fastspring: sent(
    "formula",
    { "x-fs-signature": base64("sha256", secret, batch) },
    { covered: ["body"], dedupeKey: byBody(batch) },
    batch,
  ),
  // Accepted by viber-bot 1.0.18 (MessageValidator.validateMessage).
  viber: sent(
    "package",
    { "x-viber-content-signature": hex("sha256", secret, viber) },
    {
      id: "4912661846655238145",
      type: "message",
      covered: ["body", "id", "type"],
      dedupeKey: "message.4912661846655238145",
    },
    viber,
  ),
  coinflow: sent(
    "formula",
    { "coinflow-signature": `t=${seconds},v1=${hex("sha256", secret, `${seconds}.`, purchase)}` },
    { ...timedOnly, type: "Settled", dedupeKey: byBody(purchase) },
    purchase,
  ),
  "zoho-payments": sent(
    "formula",
    { "x-zoho-webhook-signature": `t=${millis},v=${hex("sha256", secret, `${millis}.`, payment)}` },
    {
      id: "9973000000138072",
      type: "payment.succeeded",
      timestamp: now,
      covered: ["timestamp", "body", "id", "type"],
      dedupeKey: "9973000000138072",
    },
    payment,
  ),
  front: sent(
    "formula",
    {
      "x-front-signature": base64("sha256", secret, `${millis}:`, inbound),
      "x-front-request-timestamp": millis,
    },
    {
      id: "evt_1",
      type: "inbound_received",
      timestamp: now,
      covered: ["timestamp", "body", "id", "type"],
      dedupeKey: "evt_1",
    },
    inbound,
  ),
  "front-rule": sent("formula", { "x-front-signature": base64("sha1", secret, body) }, named),
  // Accepted by @portone/server-sdk 0.19.0 (Webhook.verify).
  portone: standard("webhook", '{"type":"Transaction.Paid","data":{}}', "Transaction.Paid"),
  // Accepted by @anthropic-ai/sdk 1.14.0 (beta.webhooks.unwrap).
  anthropic: standard("webhook", '{"type":"event","data":{"type":"session.status_idled"}}', "session.status_idled"),
  // Accepted by @whop/sdk 0.0.42 (webhooks.unwrap), which is given the secret in base64.
  whop: sent(
    "package",
    {
      "webhook-id": "msg_1",
      "webhook-timestamp": seconds,
      "webhook-signature": `v1,${base64("sha256", secret, `msg_1.${seconds}.`, body)}`,
    },
    {
      id: "msg_1",
      type: "thing.made",
      timestamp: now,
      dedupeKey: "msg_1",
      covered: ["id", "timestamp", "body", "type"],
    },
  ),
  finch: {
    // The tests of @tryfinch/finch-api.
    from: "package",
    keys: finchSecret,
    otherKeys: Buffer.from("another secret of Finch.").toString("base64"),
    now: 1676312382000,
    request: {
      headers: {
        "finch-event-id": "msg_2Lh9KRb0pzN4LePd3XiA4v12Axj",
        "finch-timestamp": "1676312382",
        "finch-signature": "v1,m7y0TV2C+hlHxU42wCieApTSTaA8/047OAplBqxIV/s=",
      },
      body: '{"company_id":"720be419-0293-4d32-a707-32179b0827ab"}',
    },
    expected: {
      id: "msg_2Lh9KRb0pzN4LePd3XiA4v12Axj",
      timestamp: 1676312382000,
      covered: ["id", "timestamp", "body", "type"],
      dedupeKey: "msg_2Lh9KRb0pzN4LePd3XiA4v12Axj",
    },
    signing: { keys: finchSecret, id: "msg_2Lh9KRb0pzN4LePd3XiA4v12Axj", timestamp: 1676312382000 },
  },
  // Accepted by imagekit 6.0.0 (verifyWebhookEvent).
  imagekit: sent("package", { "x-ik-signature": `t=${millis},v1=${hex("sha256", secret, `${millis}.`, body)}` }, timed),
  orb: sent(
    // The tests of orb-billing.
    "package",
    {
      "x-orb-timestamp": "2024-03-27T15:42:29.551",
      "x-orb-signature": "v1=9d25de966891ab0bc18754faf8d83d0980b44ae330fcc130b41a6cf3daf1f391",
    },
    {
      id: "o4mmewpfNNTnjfZc",
      type: "resource_event.test",
      timestamp: orbTime,
      covered: ["timestamp", "body", "id", "type"],
      dedupeKey: "o4mmewpfNNTnjfZc",
    },
    orbTest,
    { keys: orbSecret, now: orbTime, signing: { keys: orbSecret, timestamp: orbTime } },
  ),
  metronome: sent(
    // The tests of @metronome/sdk.
    "package",
    {
      "x-metronome-date": "Mon, 02 Jan 2006 22:04:05 GMT",
      "metronome-webhook-signature": "b82652fa2246cf1d8a27e591f155c865f68b46c19b9213fd9c052f2419b4742b",
    },
    {
      id: "b2c9e307-624e-4e7d-a5a4-1b74107d78c4",
      type: "widget_created",
      timestamp: metronomeTime,
      covered: ["timestamp", "body", "id", "type"],
      dedupeKey: "b2c9e307-624e-4e7d-a5a4-1b74107d78c4",
    },
    recorded,
    {
      keys: "correct-horse-battery-staple",
      now: metronomeTime,
      signing: { keys: "correct-horse-battery-staple", timestamp: metronomeTime },
    },
  ),
  // Accepted by inngest 4.24.0 (signDataWithKey).
  inngest: sent(
    "package",
    { "x-inngest-signature": `t=${seconds}&s=${hex("sha256", secret, call, seconds)}` },
    { type: "shop/order.placed", timestamp: now, covered: ["body", "timestamp", "type"], dedupeKey: undefined },
    call,
    { keys: `signkey-prod-${secret}`, signing: { keys: `signkey-test2-${secret}`, timestamp: now } },
  ),
  recurly: sent(
    "formula",
    { "recurly-signature": `${millis},${hex("sha256", secret, `${millis}.`, account)}` },
    { ...timedOnly, type: "account.created", dedupeKey: byBody(account) },
    account,
  ),
  worldpay: sent(
    "formula",
    { "event-signature": `1/SHA256/${hex("sha256", secret, settled)}` },
    { id: "w1", type: "sentForSettlement", covered: ["body", "id", "type"], dedupeKey: "w1" },
    settled,
  ),
  bridge: {
    // https://apidocs.bridge.xyz/v1/docs/webhook-event-signature-verification
    from: "documentation",
    keys: bridgeKey,
    otherKeys: pem(otherRsa.publicKey),
    now: 1705854411204,
    request: {
      headers: {
        "x-webhook-signature":
          "t=1705854411204,v0=jz/0dmHJ63FAzacGutrDTEoq+iSz/PHm/ugdooXDQu5NwuVIT2LmZGjsnCsBHgR9Py6OBP9zurzW4dHgygU4EDqmMPTUOvhvndYb4lWt+TY66LihaFI2whL6DAf/jb1QjYjNU0A6x9SLzC45dgE6X7zTDUM+2Z+scG/WEQf6SxQMt4E2sEipl5PqMK5lYUe3otdJV+X2c9D64bGwCEE7QSia+Vhozg8QNOQEk/rdz2IEONIg6oC43CeiN4E2kF9XLAGuy9uAHx9O9OJH5ZPLJZjyo4VcXYeWQgxaQ1gZ1Qu6hEEzgiPSff/1nou58dm4bIIazgCWli/mO0NyGcpfFw==",
      },
      body: '{"message":"Hello World!"}',
    },
    expected: { timestamp: 1705854411204, covered: ["timestamp", "body", "id", "type"] },
  },
};
