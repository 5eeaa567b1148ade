import { createSign } from "node:crypto";
import { base64, hex, iso, now, otherRsa, pem, rsa, seconds, type Vector, type VectorRequest } from "./vector.ts";

/** Changes a member of a JSON body. */
const changed =
  (from: string, to: string) =>
  (request: VectorRequest): VectorRequest => {
    const text = String(request.body);
    if (!text.includes(from)) throw new TypeError(`the body has no ${from}`);
    return { ...request, body: text.replace(from, to) };
  };

const adyenKey = "44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056";
const adyenItem = {
  pspReference: "7914073381342284",
  originalReference: "",
  merchantAccountCode: "TestMerchant",
  merchantReference: "TestPayment-1407325143704",
  amount: { value: 1130, currency: "EUR" },
  eventCode: "AUTHORISATION",
  success: "true",
};
const adyenBody = {
  live: "false",
  notificationItems: [
    {
      NotificationRequestItem: {
        ...adyenItem,
        additionalData: { hmacSignature: "coqCmt/IZ4E3CzPvMY8zTjQVL5hYJUiBRg8UU+iCWo0=" },
      },
    },
  ],
};

const mailgunKey = "key-0123456789abcdef";
const mailgunToken = "a8ce0edb2dd8301dee6c2405235584e45aa91d1e9f979f3d12";
const mailgunEvent = { "event-data": { id: "e1", event: "opened" } };
const mailgunBody = {
  ...mailgunEvent,
  signature: { timestamp: seconds, token: mailgunToken, signature: hex("sha256", mailgunKey, seconds, mailgunToken) },
};

const topic = "arn:aws:sns:us-east-1:123456789012:orders";
const snsMessage = {
  Type: "Notification",
  MessageId: "m1",
  TopicArn: topic,
  Subject: "s",
  Message: "line 1\nline 2",
  Timestamp: iso,
};
const snsContent = `Message\nline 1\nline 2\nMessageId\nm1\nSubject\ns\nTimestamp\n${iso}\nTopicArn\n${topic}\nType\nNotification\n`;
const snsUrl = "https://sns.us-east-1.amazonaws.com/SimpleNotificationService.pem";
const snsBody = {
  ...snsMessage,
  SignatureVersion: "2",
  Signature: createSign("RSA-SHA256").update(snsContent).sign(rsa.privateKey, "base64"),
  SigningCertURL: snsUrl,
};

const clientState = "the state only the two know";

export const inBody: Readonly<Record<string, Vector>> = {
  adyen: {
    // The example of Adyen's own library tests.
    from: "documentation",
    keys: adyenKey,
    otherKeys: "00".repeat(32),
    request: { headers: {}, body: JSON.stringify(adyenBody) },
    expected: {
      id: "7914073381342284:AUTHORISATION:true",
      type: "AUTHORISATION",
      dedupeKey: "7914073381342284:AUTHORISATION:true",
    },
    signing: {
      keys: adyenKey,
      body: JSON.stringify({ live: "false", notificationItems: [{ NotificationRequestItem: adyenItem }] }),
    },
    tampered: {
      "the amount changed": changed("1130", "1"),
      "success changed": changed('"true"', '"false"'),
      "the signature cut": changed("coqCmt", "coqC"),
      "the signature gone": changed("hmacSignature", "other"),
      "a colon moved": changed('"originalReference":""', '"originalReference":"a:b"'),
      "an unsigned item added": (request) => ({
        ...request,
        body: JSON.stringify({
          ...adyenBody,
          notificationItems: [...adyenBody.notificationItems, { NotificationRequestItem: adyenItem }],
        }),
      }),
    },
  },
  mailgun: {
    from: "formula",
    keys: mailgunKey,
    otherKeys: "key-another-0123456789",
    request: { headers: {}, body: JSON.stringify(mailgunBody) },
    expected: {
      id: mailgunToken,
      type: "opened",
      timestamp: now,
      dedupeKey: mailgunToken,
      covered: ["timestamp", "id", "field:signature.token"],
    },
    signing: { keys: mailgunKey, body: JSON.stringify(mailgunEvent), id: mailgunToken, timestamp: now },
    tampered: {
      "the token changed": changed(mailgunToken, mailgunToken.replace("a8", "a9")),
      "the time changed": changed(seconds, String(Number(seconds) + 1)),
      "the signature cut": (request) =>
        changed(mailgunBody.signature.signature, mailgunBody.signature.signature.slice(2))(request),
      "the signature gone": changed('"signature":{', '"other":{'),
    },
  },
  "aws-sns": {
    from: "formula",
    keys: pem(rsa.publicKey),
    otherKeys: pem(otherRsa.publicKey),
    settings: { topics: [topic] },
    request: { headers: {}, body: JSON.stringify(snsBody) },
    expected: { id: "m1", type: "Notification", timestamp: now, dedupeKey: "m1" },
    signing: { keys: pem(rsa.privateKey), settings: { topics: [topic] }, body: JSON.stringify(snsMessage) },
    tampered: {
      "the message changed": changed("line 2", "line 3"),
      "the topic changed": changed("orders", "others"),
      "the subject gone": changed('"Subject":"s",', ""),
      "the id changed": changed('"m1"', '"m2"'),
      "a border moved": changed('"MessageId":"m1"', '"MessageId":"m1\\nSubject"'),
      "the version changed": changed('"SignatureVersion":"2"', '"SignatureVersion":"1"'),
      "the certificate elsewhere": changed("sns.us-east-1.amazonaws.com", "sns.us-east-1.amazonaws.com.evil.example"),
      "the certificate not a .pem": changed(".pem", ".txt"),
      "the signature gone": changed('"Signature":', '"Other":'),
    },
  },
  "microsoft-graph": {
    from: "documentation",
    keys: clientState,
    otherKeys: "another state",
    request: { headers: {}, body: JSON.stringify({ value: [{ id: "n1", changeType: "updated", clientState }] }) },
    expected: {
      covered: ["sender"],
    },
    signing: { keys: clientState, body: JSON.stringify({ value: [{ id: "n1", changeType: "updated" }] }) },
    tampered: {
      "another state": changed(clientState, "guess"),
      "no state": changed("clientState", "other"),
      "an item without state": (request) => ({
        ...request,
        body: JSON.stringify({ value: [{ id: "n1", clientState }, { id: "n2" }] }),
      }),
    },
  },
};

/** Adyen signs each item on its own. */
export const adyenHmac = (item: typeof adyenItem): string =>
  base64(
    "sha256",
    Buffer.from(adyenKey, "hex"),
    [
      item.pspReference,
      item.originalReference,
      item.merchantAccountCode,
      item.merchantReference,
      item.amount.value,
      item.amount.currency,
      item.eventCode,
      item.success,
    ].join(":"),
  );
export { adyenItem, adyenKey };
