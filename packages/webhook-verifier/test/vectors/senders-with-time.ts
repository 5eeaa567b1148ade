import { Webhook } from "standardwebhooks";
import { body, klaviyoBody, other, secret, sent, standard, timed, timedOnly, video, whsec } from "./sender-parts.ts";
import { base64, hex, millis, now, seconds, type Vector } from "./vector.ts";

/**
 * Vectors of senders whose shared secret signs a time, too. Values written out were made or, where a
 * package only verifies, accepted by the sender's package that stands beside them.
 */
export const sendersWithTime: Readonly<Record<string, Vector>> = {
  // Accepted by @clerk/backend 3.25.0 (verifyWebhook).
  clerk: standard("svix", body, "thing.made"),
  // Accepted by resend 6.38.0 (webhooks.verify).
  resend: standard("svix", body, "thing.made"),
  // Accepted by @seamapi/webhook 1.2.0 (SeamWebhook.verify).
  seam: standard("svix", '{"event_type":"device.connected"}', "device.connected"),
  // Accepted by openai 6.49.0 (webhooks.unwrap).
  openai: standard("webhook", body, "thing.made"),
  // Accepted by replicate 1.4.0 (validateWebhook).
  replicate: standard("webhook", '{"id":"p1","status":"succeeded"}', "succeeded"),
  // Accepted by dodopayments 2.52.0 (webhooks.unwrap).
  "dodo-payments": standard("webhook", body, "thing.made"),
  // Accepted by lithic 0.145.0 (webhooks.verifySignature).
  lithic: standard("webhook", '{"event_type":"card.created"}', "card.created"),
  // Accepted by @liveblocks/node 3.24.2 (WebhookHandler.verifyRequest).
  liveblocks: standard("webhook", '{"type":"storageUpdated","data":{}}', "storageUpdated"),
  // Brex shows its secrets without a prefix.
  brex: standard("webhook", '{"event_type":"TRANSFER_PROCESSED"}', "TRANSFER_PROCESSED", whsec.slice(6)),
  // @polar-sh/sdk 0.49.0 (validateEvent).
  polar: sent(
    "package",
    {
      "webhook-id": "msg_1",
      "webhook-timestamp": seconds,
      "webhook-signature": "v1,YYDJqj56IQOz5QpiQJ7oUdFPcqizuIFJHZkvhBUxqzg=",
    },
    {
      id: "msg_1",
      type: "thing.made",
      timestamp: now,
      dedupeKey: "msg_1",
      covered: ["id", "timestamp", "body", "type"],
    },
  ),
  calendly: sent(
    "formula",
    { "calendly-webhook-signature": `t=${seconds},v1=${hex("sha256", secret, `${seconds}.`, body)}` },
    timedOnly,
  ),
  // @elevenlabs/elevenlabs-js 2.73.0 (webhooks.constructEvent).
  elevenlabs: sent(
    "package",
    {
      "elevenlabs-signature": "t=1795262400,v0=b759e35996195395999e0e3688b7b7fa61b78f4595b0918cd01af818a2399893",
    },
    timedOnly,
  ),
  // @sanity/webhook 4.0.4 (encodeSignatureHeader).
  sanity: sent(
    "package",
    {
      "sanity-webhook-signature": "t=1795262400000,v1=vX0_ga1cHaUotkyUHI3HfKbbi8_Cj3gwJvciWOYf4ao",
      "idempotency-key": "i1",
      "sanity-operation": "update",
    },
    {
      id: "i1",
      type: "update",
      timestamp: now,
      covered: ["timestamp", "body"],
    },
  ),
  "cloudflare-stream": sent(
    "formula",
    { "webhook-signature": `time=${seconds},sig1=${hex("sha256", secret, `${seconds}.${video}`)}` },
    { type: "ready", timestamp: now, covered: ["timestamp", "body", "type"] },
    video,
  ),
  // @mux/mux-node 15.3.0 (webhooks.verifySignature).
  mux: sent(
    "package",
    {
      "mux-signature": "t=1795262400,v1=b759e35996195395999e0e3688b7b7fa61b78f4595b0918cd01af818a2399893",
    },
    timed,
  ),
  // pusher 5.3.4 (Token.sign).
  pusher: sent(
    "package",
    {
      "x-pusher-key": "k1",
      "x-pusher-signature": "6b9892d3fa10128d6e70fbb2793bc90eeafa985135b7a00d36ccef3771493455",
    },
    { timestamp: now, keyId: "k1", covered: ["body", "timestamp"] },
    '{"time_ms":1795262400000,"events":[{"name":"channel_occupied","channel":"c"}]}',
    { keys: { key: secret, id: "k1" }, signing: { keys: { key: secret, id: "k1" } } },
  ),
  // retell-sdk 5.66.1 (sign).
  retell: sent(
    "package",
    {
      "x-retell-signature": "v=1795262400000,d=8fc799f3fc4060da0a967807581a7698815bbe765bccfc07399dafeab0b27a14",
    },
    {
      type: "thing.made",
      timestamp: now,
      covered: ["body", "timestamp", "type"],
    },
  ),
  // Render's own example uses the package standardwebhooks.
  render: standard("webhook", body, "thing.made"),
  // BigCommerce's documents hand the client secret to standardwebhooks in base64.
  bigcommerce: sent(
    "package",
    {
      "webhook-id": "msg_1",
      "webhook-timestamp": seconds,
      "webhook-signature": new Webhook(Buffer.from(secret).toString("base64")).sign(
        "msg_1",
        new Date(now),
        '{"scope":"store/order/created"}',
      ),
    },
    {
      id: "msg_1",
      type: "store/order/created",
      timestamp: now,
      dedupeKey: "msg_1",
      covered: ["id", "timestamp", "body", "type"],
    },
    '{"scope":"store/order/created"}',
  ),
  tiktok: sent(
    "formula",
    { "tiktok-signature": `t=${seconds},s=${hex("sha256", secret, `${seconds}.`, body)}` },
    timedOnly,
  ),
  buildkite: sent(
    "formula",
    { "x-buildkite-signature": `timestamp=${seconds},signature=${hex("sha256", secret, `${seconds}.`, body)}` },
    timedOnly,
  ),
  knock: sent(
    "formula",
    { "x-knock-signature": `t=${millis},s=${base64("sha256", secret, `${millis}.`, body)}` },
    timedOnly,
  ),
  moneybird: sent(
    "formula",
    {
      "moneybird-signature": `t=${seconds},v1=${hex("sha256", secret, `${seconds}.`, '{"action":"contact_created"}')}`,
    },
    { ...timedOnly, type: "contact_created" },
    '{"action":"contact_created"}',
  ),
  cashfree: sent(
    "formula",
    {
      "x-webhook-timestamp": millis,
      "x-webhook-signature": base64("sha256", secret, millis, body),
      "x-idempotency-key": "i1",
    },
    { ...timedOnly, id: "i1" },
  ),
  klaviyo: sent(
    "formula",
    {
      "klaviyo-timestamp": new Date(now).toUTCString(),
      "klaviyo-signature": hex("sha256", secret, klaviyoBody, new Date(now).toUTCString()),
    },
    {
      timestamp: now,
      covered: ["body", "header:klaviyo-timestamp", "timestamp"],
    },
    klaviyoBody,
  ),
  "customer-io": sent(
    "formula",
    {
      "x-cio-timestamp": seconds,
      "x-cio-signature": hex("sha256", secret, `v0:${seconds}:{"event_id":"c1","object_type":"email","metric":"sent"}`),
    },
    {
      id: "c1",
      type: "email.sent",
      timestamp: now,
      covered: ["timestamp", "body", "id", "type"],
      dedupeKey: "c1",
    },
    '{"event_id":"c1","object_type":"email","metric":"sent"}',
  ),
  statsig: sent(
    "formula",
    {
      "x-statsig-request-timestamp": millis,
      "x-statsig-signature": `v0=${hex("sha256", secret, `v0:${millis}:`, body)}`,
    },
    { timestamp: now, covered: ["timestamp", "body"] },
  ),
  ghost: {
    from: "formula",
    keys: secret,
    otherKeys: other,
    request: {
      headers: { "x-ghost-signature": `sha256=${hex("sha256", secret, body, millis)}, t=${millis}` },
      body,
    },
    expected: {
      type: "thing.made",
      timestamp: now,
      covered: ["body", "timestamp", "type"],
    },
    // Ghost writes the signature before the time; ours is the other way round, and means the same.
    resigning: { keys: secret, timestamp: now },
  },
  grafana: {
    ...sent(
      "formula",
      {
        "x-grafana-alerting-signature": hex("sha256", secret, `${seconds}:`, '{"status":"firing"}'),
        "x-grafana-alerting-timestamp": seconds,
      },
      {
        type: "firing",
        timestamp: now,
        covered: ["body", "type", "timestamp"],
      },
      '{"status":"firing"}',
    ),
    settings: { timestampHeader: "X-Grafana-Alerting-Timestamp" },
    signing: { keys: secret, timestamp: now, settings: { timestampHeader: "X-Grafana-Alerting-Timestamp" } },
  },
};
