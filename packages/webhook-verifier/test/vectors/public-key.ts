import { createHash, createSign, sign as rawSign } from "node:crypto";
import { crc32 } from "node:zlib";
import { createSigner, httpbis } from "http-message-signatures";
import { CompactSign, FlattenedSign, SignJWT } from "jose";
import { type HttpMethod, sign as truelayerSign } from "truelayer-signing";
import nacl from "tweetnacl";
import { certificate } from "../certificates.ts";
import {
  ed25519,
  iso,
  millis,
  now,
  otherP256,
  otherP521,
  otherRsa,
  p256,
  p521,
  pem,
  rsa,
  seconds,
  sha256,
  spki64,
  type Vector,
} from "./vector.ts";

const body = '{"id":"evt_1","event_id":"evt_1","type":"thing.made","event_type":"thing.made","eventType":"thing.made"}';
const url = "https://hooks.example.com/in?a=1";
const pair = ed25519(7);
const otherPair = ed25519(8);

/** tweetnacl signs: an implementation that shares nothing with the platforms'. */
const naclSign = (...content: string[]): Buffer =>
  Buffer.from(nacl.sign.detached(Buffer.from(content.join("")), nacl.sign.keyPair.fromSeed(pair.seed).secretKey));

const ecdsa = (hash: string, ...content: string[]): string =>
  createSign(hash).update(content.join("")).sign(p256.privateKey, "base64");

const sendgridBody = `${JSON.stringify([
  {
    email: "hello@world.com",
    event: "dropped",
    reason: "Bounced Address",
    sg_event_id: "ZHJvcC0xMDk5NDkxOS1MUnpYbF9OSFN0T0doUTRrb2ZTbV9BLTA",
    sg_message_id: "LRzXl_NHStOGhQ4kofSm_A.filterdrecv-p3mdw1-756b745b58-kmzbl-18-5F5FC76C-9.0",
    "smtp-id": "<LRzXl_NHStOGhQ4kofSm_A@ismtpd0039p1iad1.sendgrid.net>",
    timestamp: 1600112492,
  },
])}\r\n`;

const crc = String(crc32(body) >>> 0);
const paypalContent = `t-1|${iso}|WH-ID|${crc}`;

const day = 86_400_000;
const root = certificate({
  subject: "Root",
  issuer: "Root",
  subjectKey: otherP256.publicKey,
  issuerKey: otherP256.privateKey,
  notBefore: now - 8 * day,
  notAfter: now + 8 * day,
  authority: true,
});
const issuer = certificate({
  subject: "Issuer",
  issuer: "Root",
  subjectKey: p256.publicKey,
  issuerKey: otherP256.privateKey,
  notBefore: now - 8 * day,
  notAfter: now + 8 * day,
  authority: true,
  marks: ["2a864886f76364060201"],
});
const leaf = certificate({
  subject: "Leaf",
  issuer: "Issuer",
  subjectKey: p256.publicKey,
  issuerKey: p256.privateKey,
  notBefore: now - 8 * day,
  notAfter: now + 8 * day,
  marks: ["2a864886f76364060b01"],
});
const chain = [leaf, issuer, root].map((bytes) => bytes.toString("base64"));
const notification = JSON.stringify({ notificationType: "DID_RENEW", notificationUUID: "n1", signedDate: now });
const applePayload = await new CompactSign(Buffer.from(notification))
  .setProtectedHeader({ alg: "ES256", x5c: chain })
  .sign(p256.privateKey);

const plaidToken = await new SignJWT({ request_body_sha256: sha256(body) })
  .setProtectedHeader({ alg: "ES256", kid: "k1" })
  .setIssuedAt(now / 1000)
  .sign(p256.privateKey);
const googleToken = await new SignJWT({ email: "push@project.iam.gserviceaccount.com", email_verified: true })
  .setProtectedHeader({ alg: "RS256", kid: "k1" })
  .setIssuer("https://accounts.google.com")
  .setAudience("https://hooks.example.com/in")
  .setIssuedAt(now / 1000)
  .setExpirationTime(now / 1000 + 3600)
  .sign(rsa.privateKey);
const fireblocks = await new FlattenedSign(Buffer.from(body))
  .setProtectedHeader({ alg: "RS512", kid: "k1" })
  .sign(rsa.privateKey);

const truelayerTime = { "X-TL-Webhook-Timestamp": iso };
const contentDigest = `sha-256=:${createHash("sha256").update(body).digest("base64")}:`;
const rfc9421Message = await httpbis.signMessage(
  {
    key: createSigner(pair.privateKey, "ed25519", "k1"),
    fields: ["@method", "@target-uri", "content-digest"],
    params: ["created", "keyid", "alg"],
    paramValues: { created: new Date(now) },
  },
  { method: "POST", url, headers: { "content-digest": contentDigest } },
);

const googleSettings = { audience: "https://hooks.example.com/in", email: "push@project.iam.gserviceaccount.com" };
const pubsubBody = '{"message":{"messageId":"m1","attributes":{"eventType":"OBJECT_FINALIZE"}},"subscription":"s"}';

export const publicKeys: Readonly<Record<string, Vector>> = {
  discord: {
    from: "formula",
    keys: pair.raw.toString("hex"),
    otherKeys: otherPair.raw.toString("hex"),
    request: {
      headers: { "x-signature-timestamp": seconds, "x-signature-ed25519": naclSign(seconds, body).toString("hex") },
      body,
    },
    expected: { id: "evt_1", timestamp: now, dedupeKey: "evt_1" },
    signing: { keys: pair.seed.toString("hex"), timestamp: now },
  },
  telnyx: {
    from: "formula",
    keys: pair.raw.toString("base64"),
    otherKeys: otherPair.raw.toString("base64"),
    request: {
      headers: {
        "telnyx-timestamp": seconds,
        "telnyx-signature-ed25519": naclSign(`${seconds}|`, body).toString("base64"),
      },
      body,
    },
    expected: { timestamp: now },
    signing: { keys: pair.seed.toString("base64"), timestamp: now },
  },
  turnkey: {
    from: "formula",
    keys: { key: { kty: "OKP", crv: "Ed25519", x: pair.raw.toString("base64url") }, id: "k1" },
    otherKeys: { key: otherPair.raw, id: "k1" },
    request: {
      headers: {
        "x-turnkey-timestamp": millis,
        "x-turnkey-event-id": "e1",
        "x-turnkey-signature-key-id": "k1",
        "x-turnkey-signature": naclSign(`v1.ed25519.k1.${millis}.e1.`, body).toString("hex"),
      },
      body,
    },
    expected: { id: "e1", type: "thing.made", timestamp: now, dedupeKey: "e1", keyId: "k1" },
    signing: { keys: { key: pair.seed, id: "k1" }, id: "e1", timestamp: now },
  },
  fal: {
    from: "formula",
    keys: { kty: "OKP", crv: "Ed25519", x: pair.raw.toString("base64url") },
    otherKeys: otherPair.raw,
    request: {
      headers: {
        "x-fal-webhook-request-id": "r1",
        "x-fal-webhook-user-id": "u1",
        "x-fal-webhook-timestamp": seconds,
        "x-fal-webhook-signature": naclSign(["r1", "u1", seconds, sha256(body)].join("\n")).toString("hex"),
      },
      body,
    },
    expected: {
      id: "r1",
      timestamp: now,
      dedupeKey: "r1",
      covered: ["id", "header:x-fal-webhook-user-id", "timestamp", "body", "type"],
    },
    signing: { keys: pair.seed, id: "r1", timestamp: now, headers: { "x-fal-webhook-user-id": "u1" } },
  },
  sendgrid: {
    // The example of SendGrid's own library tests.
    from: "documentation",
    keys: "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE83T4O/n84iotIvIW4mdBgQ/7dAfSmpqIM8kF9mN1flpVKS3GRqe62gw+2fNNRaINXvVpiglSI8eNEc6wEA3F+g==",
    otherKeys: spki64(p256.publicKey),
    now: 1600112502000,
    request: {
      headers: {
        "x-twilio-email-event-webhook-timestamp": "1600112502",
        "x-twilio-email-event-webhook-signature":
          "MEUCIGHQVtGj+Y3LkG9fLcxf3qfI10QysgDWmMOVmxG0u6ZUAiEAyBiXDWzM+uOe5W0JuG+luQAbPIqHh89M15TluLtEZtM=",
      },
      body: sendgridBody,
    },
    expected: { timestamp: 1600112502000, covered: ["timestamp", "body"] },
  },
  "github-secret-scanning": {
    from: "formula",
    keys: { key: pem(p256.publicKey), id: "k1" },
    otherKeys: { key: pem(otherP256.publicKey), id: "k1" },
    request: {
      headers: { "github-public-key-identifier": "k1", "github-public-key-signature": ecdsa("sha256", body) },
      body,
    },
    expected: { keyId: "k1", covered: ["body"] },
    resigning: { keys: { key: pem(p256.privateKey), id: "k1" } },
  },
  ebay: {
    from: "formula",
    keys: { key: pem(p256.publicKey).replaceAll("\n", ""), id: "k1" },
    otherKeys: { key: pem(otherP256.publicKey), id: "k1" },
    request: {
      headers: {
        "x-ebay-signature": Buffer.from(
          JSON.stringify({ alg: "ecdsa", kid: "k1", signature: ecdsa("sha1", body), digest: "SHA1" }),
        ).toString("base64"),
      },
      body,
    },
    expected: { keyId: "k1", covered: ["body", "id", "type"] },
    resigning: { keys: { key: pem(p256.privateKey), id: "k1" } },
  },
  paypal: {
    from: "formula",
    keys: pem(rsa.publicKey),
    otherKeys: pem(otherRsa.publicKey),
    settings: { webhookId: "WH-ID" },
    request: {
      headers: {
        "paypal-transmission-id": "t-1",
        "paypal-transmission-time": iso,
        "paypal-transmission-sig": createSign("RSA-SHA256").update(paypalContent).sign(rsa.privateKey, "base64"),
        "paypal-cert-url": "https://api.paypal.com/v1/notifications/certs/CERT",
        "paypal-auth-algo": "SHA256withRSA",
      },
      body,
    },
    expected: {
      id: "evt_1",
      type: "thing.made",
      timestamp: now,
      covered: ["timestamp", "header:paypal-transmission-id"],
      dedupeKey: "t-1",
    },
    signing: { keys: pem(rsa.privateKey), id: "t-1", timestamp: now, settings: { webhookId: "WH-ID" } },
    tampered: { "the body changed": (request) => ({ ...request, body: body.replace("thing", "thong") }) },
  },
  wise: {
    from: "formula",
    keys: pem(rsa.publicKey),
    otherKeys: pem(otherRsa.publicKey),
    request: {
      headers: {
        "x-delivery-id": "d1",
        "x-signature-sha256": createSign("RSA-SHA256").update(body).sign(rsa.privateKey, "base64"),
      },
      body,
    },
    expected: { id: "d1", type: "thing.made", covered: ["body", "type"] },
    signing: { keys: pem(rsa.privateKey), id: "d1" },
  },
  plaid: {
    from: "formula",
    keys: { key: pem(p256.publicKey), id: "k1" },
    otherKeys: { key: pem(otherP256.publicKey), id: "k1" },
    request: { headers: { "plaid-verification": plaidToken }, body },
    expected: { timestamp: now, keyId: "k1", covered: ["timestamp", "body", "type"] },
    resigning: { keys: { key: pem(p256.privateKey), id: "k1" }, timestamp: now },
  },
  truelayer: {
    from: "package",
    keys: { key: pem(p521.publicKey), id: "k1" },
    otherKeys: { key: pem(otherP521.publicKey), id: "k1" },
    request: {
      method: "POST",
      url,
      headers: {
        "x-tl-webhook-timestamp": iso,
        "tl-signature": truelayerSign({
          kid: "k1",
          privateKeyPem: pem(p521.privateKey),
          // A const enum of a package: only its value can be used here.
          method: "POST" as HttpMethod,
          path: "/in?a=1",
          headers: truelayerTime,
          body,
        }),
      },
      body,
    },
    expected: { id: "evt_1", type: "thing.made", timestamp: now, keyId: "k1", dedupeKey: "evt_1" },
    resigning: { keys: { key: pem(p521.privateKey), id: "k1" }, timestamp: now },
  },
  fireblocks: {
    from: "formula",
    keys: { key: rsa.publicKey.export({ format: "jwk" }) as { kty: string }, id: "k1" },
    otherKeys: { key: pem(otherRsa.publicKey), id: "k1" },
    request: {
      headers: { "fireblocks-webhook-signature": `${fireblocks.protected ?? ""}..${fireblocks.signature}` },
      body,
    },
    expected: { id: "evt_1", type: "thing.made", keyId: "k1", dedupeKey: "evt_1" },
    signing: { keys: { key: pem(rsa.privateKey), id: "k1" } },
  },
  "google-pubsub": {
    from: "formula",
    keys: { key: pem(rsa.publicKey), id: "k1" },
    otherKeys: { key: pem(otherRsa.publicKey), id: "k1" },
    settings: googleSettings,
    request: { headers: { authorization: `Bearer ${googleToken}` }, body: pubsubBody },
    expected: { id: "m1", type: "OBJECT_FINALIZE", keyId: "k1", covered: ["sender"], dedupeKey: "2:id:m1" },
    resigning: { keys: { key: pem(rsa.privateKey), id: "k1" }, timestamp: now, settings: googleSettings },
  },
  "apple-app-store": {
    from: "formula",
    keys: root,
    otherKeys: pem(p256.publicKey),
    request: { headers: {}, body: JSON.stringify({ signedPayload: applePayload }) },
    expected: {
      id: "n1",
      type: "DID_RENEW",
      timestamp: now,
      dedupeKey: "n1",
      covered: ["body", "timestamp", "id", "type"],
    },
    resigning: { keys: pem(p256.privateKey), settings: { chain }, body: notification },
    tampered: {
      "the payload changed": (request) => {
        const [header = "", , signature = ""] = applePayload.split(".");
        const payload = Buffer.from(notification.replace("n1", "n2")).toString("base64url");
        return { ...request, body: JSON.stringify({ signedPayload: `${header}.${payload}.${signature}` }) };
      },
      "the signature cut": (request) => ({
        ...request,
        body: JSON.stringify({ signedPayload: applePayload.slice(0, -4) }),
      }),
      "no signature": (request) => ({ ...request, body: "{}" }),
    },
  },
  rfc9421: {
    from: "formula",
    keys: { key: pair.raw, id: "k1" },
    otherKeys: { key: otherPair.raw, id: "k1" },
    request: {
      method: "POST",
      url,
      headers: Object.fromEntries(
        Object.entries(rfc9421Message.headers).map(([name, value]) => [name.toLowerCase(), String(value)]),
      ),
      body,
    },
    expected: {
      id: "evt_1",
      type: "thing.made",
      timestamp: now,
      keyId: "k1",
      covered: ["timestamp", "method", "url", "body", "id", "type"],
    },
    resigning: { keys: { key: pair.seed, id: "k1" }, timestamp: now },
  },
};

/** The chain of the Apple vector, for tests that break it. */
export const apple = { root, issuer, leaf, notification };
/** A signature by node itself, for keys in other notations. */
export const nodeEd25519 = (content: string): Buffer => rawSign(null, Buffer.from(content), pair.privateKey);
