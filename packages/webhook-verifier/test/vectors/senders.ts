import { createSign } from "node:crypto";
import { alert, body, named, otherWhsec, secret, sent, typed, whsec } from "./sender-parts.ts";
import { base64, hex, otherP256, p256, pem, spki64, type Vector } from "./vector.ts";

/**
 * Vectors of senders whose shared secret signs no time. Values written out were made or, where a
 * package only verifies, accepted by the sender's package that stands beside them.
 */
export const senders: Readonly<Record<string, Vector>> = {
  // @line/bot-sdk 11.0.0 (validateSignature).
  line: sent("package", { "x-line-signature": "oMgL0idWsrCxYO1L23/3rcMb+BzLh8vSUB/CrLbRsdk=" }, { covered: ["body"] }),
  // @notionhq/client 5.26.0 (signWebhookPayload).
  notion: sent(
    "package",
    { "x-notion-signature": "sha256=a0c80bd22756b2b0b160ed4bdb7ff7adc31bf81ccb87cbd2501fc2acb6d1b1d9" },
    named,
  ),
  circleci: sent("formula", { "circleci-signature": `v1=${hex("sha256", secret, body)}` }, named),
  mollie: sent("formula", { "x-mollie-signature": `sha256=${hex("sha256", secret, body)}` }, named),
  alchemy: sent("formula", { "x-alchemy-signature": hex("sha256", secret, body) }, named),
  // gocardless-nodejs 10.1.2 (webhooks.parse).
  gocardless: sent(
    "package",
    { "webhook-signature": "a2159c5f4a803d05e8683c7798850e84e31998896fdac38699d666cda0eede2e" },
    { id: "WB1", covered: ["body", "id"], dedupeKey: "WB1" },
    '{"events":[{"id":"EV1","resource_type":"payments","action":"confirmed"}],"meta":{"webhook_id":"WB1"}}',
  ),
  "mongodb-atlas": sent(
    "formula",
    { "x-mms-signature": base64("sha1", secret, alert) },
    { type: "OUTSIDE_METRIC_THRESHOLD", covered: ["body", "type"] },
    alert,
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
  // stream-chat 9.53.0 (CheckSignature).
  stream: sent(
    "package",
    {
      "x-signature": "a0c80bd22756b2b0b160ed4bdb7ff7adc31bf81ccb87cbd2501fc2acb6d1b1d9",
      "x-webhook-id": "w1",
    },
    { id: "w1", type: "thing.made", covered: ["body", "type"] },
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
  "microsoft-teams": sent(
    "formula",
    { authorization: `HMAC ${base64("sha256", Buffer.from(whsec.slice(6), "base64"), body)}` },
    named,
    body,
    { keys: whsec.slice(6), otherKeys: otherWhsec.slice(6), signing: { keys: whsec.slice(6) } },
  ),
};
