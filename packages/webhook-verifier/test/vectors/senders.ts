import { createSign } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { Webhook as Svix } from "svix";
import { base64, hex, iso, millis, now, otherP256, p256, pem, seconds, sha256, spki64, type Vector } from "./vector.ts";

/** The secret of every recorded vector below that names no other. */
const secret = "a secret that only the two know";
const other = "another secret of the same kind";
const whsec = `whsec_${Buffer.from("thirty-two bytes of a secret ...").toString("base64")}`;
const otherWhsec = `whsec_${Buffer.from("thirty-two bytes of another one.").toString("base64")}`;

/** The body of every recorded vector below that names no other. */
const body = '{"id":"evt_1","type":"thing.made","event":"thing.made","note":"ü \\u00fc"}';

const klaviyoBody = `{"meta":{"timestamp":"${iso}"},"data":[{"external_id":"k1","topic":"event:klaviyo.opened_email","payload":{}}]}`;

/** A sender of the Standard Webhooks family, signed by the package its own libraries stand on. */
const standard = (prefix: "webhook" | "svix", text: string, type: string, key = whsec): Vector => ({
  from: "package",
  keys: key,
  otherKeys: otherWhsec,
  request: {
    headers: {
      [`${prefix}-id`]: "msg_1",
      [`${prefix}-timestamp`]: seconds,
      [`${prefix}-signature`]: new (prefix === "svix" ? Svix : Webhook)(key).sign("msg_1", new Date(now), text),
    },
    body: text,
  },
  expected: { id: "msg_1", type, timestamp: now, dedupeKey: "msg_1", covered: ["id", "timestamp", "body", "type"] },
  signing: { keys: key, id: "msg_1", timestamp: now },
});

/** A sender that is described by headers and body alone. */
const sent = (
  from: Vector["from"],
  headers: Record<string, string>,
  expected: Vector["expected"],
  text = body,
  more: Partial<Vector> = {},
): Vector => ({
  from,
  keys: secret,
  otherKeys: other,
  request: { headers, body: text },
  expected: { dedupeKey: sha256(text), ...expected },
  signing: {
    keys: secret,
    timestamp: now,
    ...(expected.id !== undefined && { id: expected.id }),
    ...(expected.type !== undefined && { type: expected.type }),
  },
  ...more,
});

const named = { id: "evt_1", type: "thing.made", covered: ["body", "id", "type"], dedupeKey: "evt_1" } as const;
const typed = { type: "thing.made", covered: ["body", "type"] } as const;
const timed = {
  id: "evt_1",
  type: "thing.made",
  timestamp: now,
  covered: ["timestamp", "body", "id", "type"],
  dedupeKey: "evt_1",
} as const;
const timedOnly = (content: string): Vector["expected"] => ({
  type: "thing.made",
  timestamp: now,
  covered: ["timestamp", "body", "type"],
  dedupeKey: sha256(content),
});

const video = '{"uid":"6b9e68b0","readyToStream":true,"status":{"state":"ready"}}';
const alert = '{"id":"533dc19ce4b00835ff81e2eb","eventTypeName":"OUTSIDE_METRIC_THRESHOLD","status":"OPEN"}';

/**
 * Vectors of senders that sign with a shared secret. Values written out were made or, where a
 * package only verifies, accepted by the sender's package that stands beside them.
 */
export const senders: Readonly<Record<string, Vector>> = {
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
  // @line/bot-sdk 11.0.0 (validateSignature).
  line: sent("package", { "x-line-signature": "oMgL0idWsrCxYO1L23/3rcMb+BzLh8vSUB/CrLbRsdk=" }, { covered: ["body"] }),
  // @notionhq/client 5.26.0 (signWebhookPayload).
  notion: sent(
    "package",
    { "x-notion-signature": "sha256=a0c80bd22756b2b0b160ed4bdb7ff7adc31bf81ccb87cbd2501fc2acb6d1b1d9" },
    named,
  ),
  calendly: sent(
    "formula",
    { "calendly-webhook-signature": `t=${seconds},v1=${hex("sha256", secret, `${seconds}.`, body)}` },
    timedOnly(`${seconds}.${body}`),
  ),
  circleci: sent("formula", { "circleci-signature": `v1=${hex("sha256", secret, body)}` }, named),
  mollie: sent("formula", { "x-mollie-signature": `sha256=${hex("sha256", secret, body)}` }, named),
  alchemy: sent("formula", { "x-alchemy-signature": hex("sha256", secret, body) }, named),
  // @elevenlabs/elevenlabs-js 2.73.0 (webhooks.constructEvent).
  elevenlabs: sent(
    "package",
    {
      "elevenlabs-signature": "t=1795262400,v0=b759e35996195395999e0e3688b7b7fa61b78f4595b0918cd01af818a2399893",
    },
    timedOnly(`${seconds}.${body}`),
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
      dedupeKey: sha256(`${now}.${body}`),
    },
  ),
  // gocardless-nodejs 10.1.2 (webhooks.parse).
  gocardless: sent(
    "package",
    { "webhook-signature": "a2159c5f4a803d05e8683c7798850e84e31998896fdac38699d666cda0eede2e" },
    { id: "WB1", covered: ["body", "id"], dedupeKey: "WB1" },
    '{"events":[{"id":"EV1","resource_type":"payments","action":"confirmed"}],"meta":{"webhook_id":"WB1"}}',
  ),
  "cloudflare-stream": sent(
    "formula",
    { "webhook-signature": `time=${seconds},sig1=${hex("sha256", secret, `${seconds}.${video}`)}` },
    { type: "ready", timestamp: now, covered: ["timestamp", "body", "type"], dedupeKey: sha256(`${seconds}.${video}`) },
    video,
  ),
  "mongodb-atlas": sent(
    "formula",
    { "x-mms-signature": base64("sha1", secret, alert) },
    { type: "OUTSIDE_METRIC_THRESHOLD", covered: ["body", "type"] },
    alert,
  ),
  // @mux/mux-node 15.3.0 (webhooks.verifySignature).
  mux: sent(
    "package",
    {
      "mux-signature": "t=1795262400,v1=b759e35996195395999e0e3688b7b7fa61b78f4595b0918cd01af818a2399893",
    },
    timed,
  ),
  clickup: sent("formula", { "x-signature": hex("sha256", secret, body) }, typed),
  airtable: sent(
    "formula",
    {
      "x-airtable-content-mac": `hmac-sha256=${hex("sha256", Buffer.from(whsec.slice(6), "base64"), '{"base":{"id":"app1"}}')}`,
    },
    { covered: ["body"] },
    '{"base":{"id":"app1"}}',
    { keys: whsec.slice(6), otherKeys: otherWhsec.slice(6), signing: { keys: whsec.slice(6) } },
  ),
  // mailersend 3.4.0 (MailerSendUtils.verifyWebHook).
  mailersend: sent("package", { signature: "a0c80bd22756b2b0b160ed4bdb7ff7adc31bf81ccb87cbd2501fc2acb6d1b1d9" }, typed),
  // modern-treasury 3.3.0 (webhooks.getSignature).
  "modern-treasury": sent(
    "package",
    { "x-signature": "a0c80bd22756b2b0b160ed4bdb7ff7adc31bf81ccb87cbd2501fc2acb6d1b1d9" },
    typed,
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
  // stream-chat 9.53.0 (CheckSignature).
  stream: sent(
    "package",
    {
      "x-signature": "a0c80bd22756b2b0b160ed4bdb7ff7adc31bf81ccb87cbd2501fc2acb6d1b1d9",
      "x-webhook-id": "w1",
    },
    { id: "w1", type: "thing.made", covered: ["body", "type"] },
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
      dedupeKey: sha256(`${body}${now}`),
    },
  ),
  // @easypost/api 8.9.0 (Utils.validateWebhook); the key has letters that normalisation changes.
  easypost: sent(
    "package",
    { "x-hmac-signature": "hmac-sha256-hex=3665288c952e278ee283bd7b826514ba2c0e4f734e41482aa44759ff3d55f464" },
    { id: "evt_1", type: "tracker.updated", covered: ["body", "id", "type"], dedupeKey: "evt_1" },
    '{"id":"evt_1","description":"tracker.updated"}',
    { keys: "ﬁrst secret of the two ①", signing: { keys: "ﬁrst secret of the two ①" } },
  ),
  jira: sent(
    "formula",
    {
      "x-hub-signature": `sha256=${hex("sha256", secret, '{"webhookEvent":"jira:issue_created"}')}`,
      "x-atlassian-webhook-identifier": "w1",
    },
    { id: "w1", type: "jira:issue_created", covered: ["body", "type"] },
    '{"webhookEvent":"jira:issue_created"}',
  ),
  snyk: sent(
    "formula",
    {
      "x-hub-signature": `sha256=${hex("sha256", secret, body)}`,
      "x-snyk-transport-id": "d1",
      "x-snyk-event": "project_snapshot/v0",
    },
    { id: "d1", type: "project_snapshot/v0", covered: ["body"] },
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
  "checkout-com": sent("formula", { "cko-signature": hex("sha256", secret, body) }, named),
  launchdarkly: sent(
    "formula",
    { "x-ld-signature": hex("sha256", secret, '{"_id":"l1","kind":"flag"}') },
    { id: "l1", type: "flag", covered: ["body", "id", "type"], dedupeKey: "l1" },
    '{"_id":"l1","kind":"flag"}',
  ),
  dwolla: sent(
    "formula",
    { "x-request-signature-sha-256": hex("sha256", secret, '{"id":"d1","topic":"transfer_completed"}') },
    { id: "d1", type: "transfer_completed", covered: ["body", "id", "type"], dedupeKey: "d1" },
    '{"id":"d1","topic":"transfer_completed"}',
  ),
  heroku: sent(
    "formula",
    {
      "heroku-webhook-hmac-sha256": base64("sha256", secret, '{"id":"h1","resource":"release","action":"create"}'),
    },
    { id: "h1", type: "release.create", covered: ["body", "id", "type"], dedupeKey: "h1" },
    '{"id":"h1","resource":"release","action":"create"}',
  ),
  btcpay: sent(
    "formula",
    { "btcpay-sig": `sha256=${hex("sha256", secret, '{"deliveryId":"b1","type":"InvoiceSettled"}')}` },
    { id: "b1", type: "InvoiceSettled", covered: ["body", "id", "type"], dedupeKey: "b1" },
    '{"deliveryId":"b1","type":"InvoiceSettled"}',
  ),
  flagsmith: sent(
    "formula",
    { "x-flagsmith-signature": hex("sha256", secret, '{"event_type":"FLAG_UPDATED"}') },
    { type: "FLAG_UPDATED", covered: ["body", "type"] },
    '{"event_type":"FLAG_UPDATED"}',
  ),
  "cal-com": sent(
    "formula",
    { "x-cal-signature-256": hex("sha256", secret, '{"triggerEvent":"BOOKING_CREATED"}') },
    { type: "BOOKING_CREATED", covered: ["body", "type"] },
    '{"triggerEvent":"BOOKING_CREATED"}',
  ),
  lago: sent(
    "formula",
    { "x-lago-signature": base64("sha256", secret, '{"webhook_type":"fee.created"}'), "x-lago-unique-key": "u1" },
    { id: "u1", type: "fee.created", covered: ["body", "type"] },
    '{"webhook_type":"fee.created"}',
  ),
  logto: sent(
    "formula",
    { "logto-signature-sha-256": hex("sha256", secret, body), "logto-message-id": "m1" },
    { id: "m1", type: "thing.made", covered: ["body", "type"] },
  ),
  coinify: sent(
    // https://coinify.readme.io/docs/webhook-signature
    "documentation",
    { "x-coinify-webhook-signature": "bcdbb89e3031905f3cc1a20d16b5f969a17a7d8fa0c26e4a807c2193402d66f4" },
    { covered: ["body", "id", "type"] },
    '{"examplePayload":true}',
    { keys: "my-shared-secret", signing: { keys: "my-shared-secret" } },
  ),
  forgejo: sent(
    "formula",
    {
      "x-forgejo-signature": hex("sha256", secret, body),
      "x-forgejo-delivery": "d1",
      "x-forgejo-event": "push",
    },
    { id: "d1", type: "push", covered: ["body"] },
  ),
  paystack: sent("formula", { "x-paystack-signature": hex("sha512", secret, body) }, typed),
  doppler: sent("formula", { "x-doppler-signature": `sha256=${hex("sha256", secret, body)}` }, typed),
  tiktok: sent(
    "formula",
    { "tiktok-signature": `t=${seconds},s=${hex("sha256", secret, `${seconds}.`, body)}` },
    timedOnly(`${seconds}.${body}`),
  ),
  buildkite: sent(
    "formula",
    { "x-buildkite-signature": `timestamp=${seconds},signature=${hex("sha256", secret, `${seconds}.`, body)}` },
    timedOnly(`${seconds}.${body}`),
  ),
  knock: sent(
    "formula",
    { "x-knock-signature": `t=${millis},s=${base64("sha256", secret, `${millis}.`, body)}` },
    timedOnly(`${millis}.${body}`),
  ),
  moneybird: sent(
    "formula",
    {
      "moneybird-signature": `t=${seconds},v1=${hex("sha256", secret, `${seconds}.`, '{"action":"contact_created"}')}`,
    },
    { ...timedOnly(`${seconds}.{"action":"contact_created"}`), type: "contact_created" },
    '{"action":"contact_created"}',
  ),
  cashfree: sent(
    "formula",
    {
      "x-webhook-timestamp": millis,
      "x-webhook-signature": base64("sha256", secret, millis, body),
      "x-idempotency-key": "i1",
    },
    { ...timedOnly(`${millis}${body}`), id: "i1" },
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
      dedupeKey: sha256(klaviyoBody, new Date(now).toUTCString()),
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
    { timestamp: now, covered: ["timestamp", "body"], dedupeKey: sha256(`v0:${millis}:${body}`) },
  ),
  circle: {
    from: "formula",
    keys: { key: spki64(p256.publicKey), id: "k1" },
    otherKeys: { key: spki64(otherP256.publicKey), id: "k1" },
    request: {
      headers: {
        "x-circle-key-id": "k1",
        "x-circle-signature": createSign("sha256")
          .update('{"notificationId":"n1","notificationType":"transactions.inbound"}')
          .sign(p256.privateKey, "base64"),
      },
      body: '{"notificationId":"n1","notificationType":"transactions.inbound"}',
    },
    expected: {
      id: "n1",
      type: "transactions.inbound",
      keyId: "k1",
      covered: ["body", "id", "type"],
      dedupeKey: "n1",
    },
    resigning: { keys: { key: pem(p256.privateKey), id: "k1" } },
  },
  discourse: sent(
    "formula",
    {
      "x-discourse-event-signature": `sha256=${hex("sha256", secret, body)}`,
      "x-discourse-event-id": "7",
      "x-discourse-event": "topic_created",
    },
    { id: "7", type: "topic_created", covered: ["body"] },
  ),
  terraform: sent(
    "formula",
    {
      "x-tfe-notification-signature": hex("sha512", secret, '{"notifications":[{"trigger":"run:completed"}]}'),
    },
    { type: "run:completed", covered: ["body", "type"] },
    '{"notifications":[{"trigger":"run:completed"}]}',
  ),
  webex: sent(
    "formula",
    { "x-spark-signature": hex("sha1", secret, '{"resource":"messages","event":"created"}') },
    { type: "messages.created", covered: ["body", "type"] },
    '{"resource":"messages","event":"created"}',
  ),
  nylas: sent("formula", { "x-nylas-signature": hex("sha256", secret, body) }, named),
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
      dedupeKey: sha256(`${body}${millis}`),
    },
    // Ghost writes the signature before the time; ours is the other way round, and means the same.
    resigning: { keys: secret, timestamp: now },
  },
  "microsoft-teams": sent(
    "formula",
    { authorization: `HMAC ${base64("sha256", Buffer.from(whsec.slice(6), "base64"), body)}` },
    named,
    body,
    { keys: whsec.slice(6), otherKeys: otherWhsec.slice(6), signing: { keys: whsec.slice(6) } },
  ),
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
        dedupeKey: sha256(`${seconds}:{"status":"firing"}`),
      },
      '{"status":"firing"}',
    ),
    settings: { timestampHeader: "X-Grafana-Alerting-Timestamp" },
    signing: { keys: secret, timestamp: now, settings: { timestampHeader: "X-Grafana-Alerting-Timestamp" } },
  },
};
