import { createHash, createSign } from "node:crypto";
import { SignJWT } from "jose";
import { body, byBody, other, secret, sent } from "./sender-parts.ts";
import { hex, now, otherRsa, pem, rsa, seconds, type Vector } from "./vector.ts";

const digest = (hash: string, ...content: string[]): string => createHash(hash).update(content.join("")).digest("hex");
const signed = (content: string): string => createSign("sha256").update(content).sign(rsa.privateKey, "base64");

const upload = '{"notification_type":"upload","timestamp":"2026-11-21T12:00:00+00:00","request_id":"r1"}';
const event =
  '{"schema":"2.0","header":{"event_id":"l1","event_type":"im.message.receive_v1","token":"t"},"event":{"sender":{}}}';
const larkNonce = "1628217397";
const transaction = '{"id":"EV-1","event_type":"TRANSACTION.SUCCESS","resource":{"algorithm":"AEAD_AES_256_GCM"}}';
const applicant = '{"type":"applicantReviewed","applicantId":"a1","createdAtMs":"2026-11-21 12:00:00.123"}';
const question = '{"product":{"sku":"s1"},"note":"ü"}';

/** Vectors of senders with plain hashes, tokens and public keys. */
export const plainHashesAndKeys: Readonly<Record<string, Vector>> = {
  // Accepted by cloudinary 2.11.0 (utils.verifyNotificationSignature).
  cloudinary: sent(
    "package",
    { "x-cld-signature": digest("sha1", upload, seconds, secret), "x-cld-timestamp": seconds },
    { type: "upload", timestamp: now, covered: ["body", "timestamp", "type"], dedupeKey: byBody(upload) },
    upload,
  ),
  lark: sent(
    // Accepted by @larksuiteoapi/node-sdk 1.74.0 (RequestHandle.checkIsEventValidated).
    "package",
    {
      "x-lark-signature": digest("sha256", seconds, larkNonce, secret, event),
      "x-lark-request-timestamp": seconds,
      "x-lark-request-nonce": larkNonce,
    },
    { id: "l1", type: "im.message.receive_v1", timestamp: now, dedupeKey: "l1" },
    event,
    { signing: { keys: secret, timestamp: now, headers: { "x-lark-request-nonce": larkNonce } } },
  ),
  qstash: {
    // Accepted by @upstash/qstash 2.12.0 (Receiver.verify).
    from: "package",
    keys: secret,
    otherKeys: other,
    settings: { url: "https://hooks.example.com/in" },
    request: {
      headers: {
        "upstash-signature": await new SignJWT({
          iss: "Upstash",
          sub: "https://hooks.example.com/in",
          exp: now / 1000 + 300,
          nbf: now / 1000,
          iat: now / 1000,
          jti: "jwt_1",
          body: `${createHash("sha256").update(body).digest("base64url")}=`,
        })
          .setProtectedHeader({ alg: "HS256", typ: "JWT" })
          .sign(new TextEncoder().encode(secret)),
        "upstash-message-id": "msg_1",
      },
      body,
    },
    expected: { id: "msg_1", covered: ["body"], dedupeKey: "2:id:msg_1" },
    resigning: { keys: secret, timestamp: now, settings: { url: "https://hooks.example.com/in" } },
  },
  sumsub: sent(
    "formula",
    { "x-payload-digest": hex("sha256", secret, applicant) },
    { type: "applicantReviewed", covered: ["body", "type"], dedupeKey: byBody(applicant) },
    applicant,
  ),
  "wechat-pay": {
    from: "formula",
    keys: { key: pem(rsa.publicKey), id: "PUB_KEY_ID_1" },
    otherKeys: { key: pem(otherRsa.publicKey), id: "PUB_KEY_ID_1" },
    request: {
      headers: {
        "wechatpay-signature": signed(`${seconds}\nnonce1\n${transaction}\n`),
        "wechatpay-timestamp": seconds,
        "wechatpay-nonce": "nonce1",
        "wechatpay-serial": "PUB_KEY_ID_1",
      },
      body: transaction,
    },
    expected: { id: "EV-1", type: "TRANSACTION.SUCCESS", timestamp: now, keyId: "PUB_KEY_ID_1", dedupeKey: "EV-1" },
    resigning: {
      keys: { key: pem(rsa.privateKey), id: "PUB_KEY_ID_1" },
      timestamp: now,
      headers: { "wechatpay-nonce": "nonce2" },
    },
  },
  "adobe-commerce": {
    from: "formula",
    keys: pem(rsa.publicKey),
    otherKeys: pem(otherRsa.publicKey),
    request: {
      headers: { "x-adobe-commerce-webhook-signature": signed(Buffer.from(question).toString("base64")) },
      body: question,
    },
    expected: { covered: ["body"], dedupeKey: undefined },
    resigning: { keys: pem(rsa.privateKey) },
  },
};
