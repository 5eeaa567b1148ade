import { createSign } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { body, changed, keys, other, secret, url } from "./usual-request.ts";
import { base64, hex, now, otherRsa, pem, rsa, seconds, spki64, type Vector } from "./vector.ts";

const dropboxHash = "bedd86c5901addd62a686af59e2b044368b973c4c86c47efde4acf77d57fa708";
const dropboxEvent = `{"event":{"event_time":"${seconds}","event_type":"signature_request_signed","event_hash":"${dropboxHash}"}}`;

const mandrillFields = { mandrill_events: '[{"_id":"m1","event":"open","ts":1795262400}]' };
const mandrillBody = new URLSearchParams(mandrillFields).toString();

const braintreePayload =
  "PG5vdGlmaWNhdGlvbj4KICAgIDx0aW1lc3RhbXAgdHlwZT0iZGF0ZXRpbWUiPjIwMjYtMTEtMjFUMTI6MDA6MDBaPC90aW1lc3RhbXA+CiAgICA8a2luZD5zdWJzY3JpcHRpb25fd2VudF9wYXN0X2R1ZTwva2luZD4KICAgIAogICAgPHN1YmplY3Q+PHN1YnNjcmlwdGlvbj4KICAgIDxpZD5zdWIxPC9pZD4KICAgIDx0cmFuc2FjdGlvbnMgdHlwZT0iYXJyYXkiPjwvdHJhbnNhY3Rpb25zPgogICAgPGFkZF9vbnMgdHlwZT0iYXJyYXkiPjwvYWRkX29ucz4KICAgIDxkaXNjb3VudHMgdHlwZT0iYXJyYXkiPjwvZGlzY291bnRzPgo8L3N1YnNjcmlwdGlvbj48L3N1YmplY3Q+Cjwvbm90aWZpY2F0aW9uPg==\n";
const braintreeBody = new URLSearchParams({
  bt_signature: "public_key_1|c1e8d7e009cb1a15a09e9cd1d64530d492035478",
  bt_payload: braintreePayload,
}).toString();

const paddleFields = { alert_id: "1", alert_name: "payment_succeeded", customer_name: "Zoë" };
// The length of a PHP string counts bytes.
const paddleContent =
  'a:3:{s:8:"alert_id";s:1:"1";s:10:"alert_name";s:17:"payment_succeeded";s:13:"customer_name";s:4:"Zoë";}';
const paddleBody = new URLSearchParams({
  ...paddleFields,
  p_signature: createSign("sha1").update(paddleContent).sign(rsa.privateKey, "base64"),
}).toString();

const whsec = `whsec_${Buffer.from("thirty-two bytes of a secret ...").toString("base64")}`;
const oldWhsec = `whsec_${Buffer.from("thirty-two bytes of another one.").toString("base64")}`;
const supabaseSignatures = [oldWhsec, whsec].map((key) => new Webhook(key).sign("msg_1", new Date(now), body));

/** Vectors of senders whose schemes have steps of their own. */
export const sendersWithCode: Readonly<Record<string, Vector>> = {
  websub: {
    from: "formula",
    ...keys,
    settings: { topics: ["https://example.com/feed"] },
    request: {
      headers: { "x-hub-signature": `sha256=${hex("sha256", secret, "<feed/>")}` },
      body: "<feed/>",
    },
    expected: { covered: ["body"] },
    signing: { keys: secret, settings: { topics: ["https://example.com/feed"] } },
  },
  youtube: {
    from: "formula",
    ...keys,
    request: { headers: { "x-hub-signature": `sha1=${hex("sha1", secret, "<feed/>")}` }, body: "<feed/>" },
    expected: { covered: ["body"] },
    signing: { keys: secret },
  },
  linkedin: {
    from: "formula",
    ...keys,
    request: { headers: { "x-li-signature": hex("sha256", secret, "hmacsha256=", body) }, body },
    expected: { type: "thing.made", covered: ["body", "type"] },
    signing: { keys: secret },
  },
  "dropbox-sign": {
    // Accepted by @dropbox/sign 1.11.0 (EventCallbackHelper.isValid).
    from: "package",
    ...keys,
    request: {
      headers: { "content-type": "multipart/form-data; boundary=x" },
      body: `--x\r\nContent-Disposition: form-data; name="json"\r\n\r\n${dropboxEvent}\r\n--x--\r\n`,
    },
    expected: {
      type: "signature_request_signed",
      timestamp: now,
      covered: ["timestamp", "type", "field:event.event_time"],
    },
    resigning: { keys: secret, timestamp: now, body: dropboxEvent },
    tampered: {
      "the time changed": changed(`"${seconds}"`, '"1795262401"'),
      "the type changed": changed("request_signed", "request_declined"),
      "the hash changed": changed(dropboxHash.slice(0, 4), "0000"),
      "the field twice": (request) => ({
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body: `json=${dropboxEvent}&json=${String(request.body)}`,
      }),
    },
  },
  mandrill: {
    from: "formula",
    ...keys,
    request: {
      method: "POST",
      url,
      headers: {
        "content-type": "application/x-www-form-urlencoded",
        "x-mandrill-signature": base64("sha1", secret, url, "mandrill_events", mandrillFields.mandrill_events),
      },
      body: mandrillBody,
    },
    expected: { covered: ["url", "body"] },
    signing: { keys: secret },
    tampered: { "a field added": (request) => ({ ...request, body: `${String(request.body)}&extra=1` }) },
  },
  contentful: {
    // @contentful/node-apps-toolkit 3.16.1 (signRequest).
    from: "package",
    keys: "0123456789abcdef".repeat(4),
    otherKeys: "fedcba9876543210".repeat(4),
    request: {
      method: "POST",
      url,
      headers: {
        "x-contentful-topic": "ContentManagement.Entry.publish",
        "x-contentful-signature": "437c72ec8de39b65c0617fb0b6325eb4e24e4fd97f1108c1bfd77641e28444be",
        "x-contentful-signed-headers": "x-contentful-signed-headers,x-contentful-timestamp,x-contentful-topic",
        "x-contentful-timestamp": "1795262400000",
      },
      body: '{"sys":{"id":"e1"}}',
    },
    expected: {
      type: "ContentManagement.Entry.publish",
      timestamp: now,
      covered: ["method", "url", "timestamp", "body", "header:x-contentful-topic"],
    },
    signing: {
      keys: "0123456789abcdef".repeat(4),
      type: "ContentManagement.Entry.publish",
      timestamp: now,
    },
  },
  braintree: {
    // braintree 3.40.0 (webhookTesting.sampleNotification).
    from: "package",
    keys: { key: secret, id: "public_key_1" },
    otherKeys: { key: other, id: "public_key_1" },
    request: { headers: { "content-type": "application/x-www-form-urlencoded" }, body: braintreeBody },
    expected: {
      type: "subscription_went_past_due",
      keyId: "public_key_1",
      covered: ["type", "field:bt_payload"],
    },
    resigning: {
      keys: { key: secret, id: "public_key_1" },
      body: "<notification><kind>subscription_went_past_due</kind></notification>",
    },
    tampered: {
      "the payload changed": changed("PG5vdGlm", "PG5vdGln"),
      "the signature changed": changed("c1e8d7e0", "c1e8d7e1"),
      "the payload twice": (request) => ({ ...request, body: `${String(request.body)}&bt_payload=x` }),
    },
  },
  "mercado-pago": {
    // Accepted by mercadopago 3.6.1 (WebhookSignatureValidator.validate).
    from: "package",
    ...keys,
    request: {
      method: "POST",
      url: "https://hooks.example.com/in?data.id=ABC123&type=payment",
      headers: {
        "x-request-id": "r-1",
        "x-signature": "ts=1795262400,v1=1698d3c048b39f4df4878e50dae2ac7bd132721f9f2c798e85177fbd91b1bb5d",
      },
      body: '{"id":12345,"type":"payment","action":"payment.updated"}',
    },
    expected: {
      id: "12345",
      type: "payment.payment.updated",
      timestamp: now,
      covered: ["timestamp", "header:x-request-id", "field:data.id"],
    },
    resigning: { keys: secret, timestamp: now },
    tampered: {
      "another payment": (request) => ({ ...request, url: "https://hooks.example.com/in?data.id=ABC124" }),
      "no payment": (request) => ({ ...request, url: "https://hooks.example.com/in" }),
    },
  },
  "authorize-net": {
    from: "formula",
    keys: "0123456789ABCDEF".repeat(8),
    otherKeys: "FEDCBA9876543210".repeat(8),
    request: {
      headers: {
        "x-anet-signature": `sha512=${hex("sha512", "0123456789ABCDEF".repeat(8), '{"notificationId":"n1","eventType":"net.authorize.payment.void.created"}').toUpperCase()}`,
      },
      body: '{"notificationId":"n1","eventType":"net.authorize.payment.void.created"}',
    },
    expected: {
      id: "n1",
      type: "net.authorize.payment.void.created",
      covered: ["body", "id", "type"],
      dedupeKey: "n1",
    },
    signing: { keys: "0123456789ABCDEF".repeat(8) },
  },
  "paddle-classic": {
    from: "formula",
    keys: spki64(rsa.publicKey),
    otherKeys: spki64(otherRsa.publicKey),
    request: { headers: { "content-type": "application/x-www-form-urlencoded" }, body: paddleBody },
    expected: { id: "1", type: "payment_succeeded", covered: ["body", "id", "type"], dedupeKey: "1" },
    resigning: { keys: pem(rsa.privateKey), body: new URLSearchParams(paddleFields).toString() },
    tampered: {
      "a field changed": changed("payment_succeeded", "payment_refunded"),
      "a field added": (request) => ({ ...request, body: `${String(request.body)}&extra=1` }),
      "a field twice": (request) => ({ ...request, body: `${String(request.body)}&alert_id=1` }),
    },
  },
  hygraph: {
    // @hygraph/utils 1.2.1 (generateWebhookSignature).
    from: "package",
    ...keys,
    request: {
      headers: {
        "gcms-signature": "sign=Ze7LUJi6gWXle1XjUi/JcnjF0MjKHAB/OK+baxX+wvQ=, env=master, t=1795262400000",
      },
      body: '{"operation":"publish","note":"ü"}',
    },
    expected: { type: "publish", timestamp: now, covered: ["timestamp", "body", "type"] },
    signing: { keys: secret, timestamp: now },
  },
  cronofy: {
    // Accepted by cronofy 3.8.4 (hmacValid).
    from: "package",
    ...keys,
    request: {
      headers: { "cronofy-hmac-sha256": "zGKfSBRwSi+kO/4Wa38pvSZyAWiU7uyWZkDY86LyeKs=" },
      body: '{"notification":{"type":"change"}}',
    },
    expected: { type: "change", covered: ["body", "type"] },
    signing: { keys: secret },
  },
  plivo: {
    // Accepted by plivo 4.79.0 (validateV3Signature).
    from: "package",
    ...keys,
    request: {
      method: "POST",
      url: "https://hooks.example.com/in?source=a&b=c",
      headers: {
        "content-type": "application/x-www-form-urlencoded",
        "x-plivo-signature-v3": "lyB89Rbkhw4sU8jJeJzhvA+W3t35n0WAZMq28T9QSqg=",
        "x-plivo-signature-v3-nonce": "n1",
      },
      body: "To=15550002&From=15550001&Event=Ring",
    },
    expected: { covered: ["method", "url", "body", "header:x-plivo-signature-v3-nonce"], dedupeKey: "n1" },
    signing: {
      keys: secret,
      id: "n1",
      headers: { "content-type": "application/x-www-form-urlencoded" },
    },
  },
  paymongo: {
    from: "formula",
    ...keys,
    request: {
      headers: {
        "paymongo-signature": `t=${seconds},te=,li=${hex("sha256", secret, `${seconds}.`, '{"data":{"id":"evt_1","attributes":{"type":"payment.paid"}}}')}`,
      },
      body: '{"data":{"id":"evt_1","attributes":{"type":"payment.paid"}}}',
    },
    expected: {
      id: "evt_1",
      type: "payment.paid",
      timestamp: now,
      covered: ["timestamp", "body", "id", "type"],
      dedupeKey: "evt_1",
    },
    resigning: { keys: secret, timestamp: now },
  },
  supabase: {
    // Two signatures, joined as Supabase's own server joins them.
    from: "package",
    keys: whsec,
    otherKeys: `whsec_${Buffer.from("thirty-two bytes of a third one.").toString("base64")}`,
    request: {
      headers: {
        "webhook-id": "msg_1",
        "webhook-timestamp": seconds,
        "webhook-signature": supabaseSignatures.join(", "),
      },
      body,
    },
    expected: { id: "msg_1", timestamp: now, dedupeKey: "msg_1" },
    resigning: { keys: whsec, timestamp: now },
  },
  persona: {
    from: "formula",
    ...keys,
    request: {
      headers: {
        "persona-signature": [other, secret]
          .map(
            (key) =>
              `t=${seconds},v1=${hex("sha256", key === other ? "an older secret of theirs" : key, `${seconds}.`, '{"data":{"id":"evt_1","attributes":{"name":"inquiry.approved"}}}')}`,
          )
          .join(" "),
      },
      body: '{"data":{"id":"evt_1","attributes":{"name":"inquiry.approved"}}}',
    },
    expected: {
      id: "evt_1",
      type: "inquiry.approved",
      timestamp: now,
      covered: ["timestamp", "body", "id", "type"],
      dedupeKey: "evt_1",
    },
    resigning: { keys: secret, timestamp: now },
  },
};
