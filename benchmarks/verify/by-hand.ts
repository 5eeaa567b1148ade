/**
 * Every scheme as a careful person writes it by hand with node:crypto. The key is parsed once. From
 * the same headers and raw body, the same content is hashed or verified, the signature is decoded,
 * the code is compared in constant time, and the time window is checked if the sender has one. It
 * does no more: it does not refuse repeated headers, rotate keys, or say why it refuses.
 */
import { createHash, createHmac, verify } from "node:crypto";
import {
  adyenFields,
  asymmetric,
  type Case,
  crc32,
  ed,
  filled,
  hexKey,
  hexText,
  hmac,
  hook0,
  inWindow,
  jws,
  p256,
  p521,
  pairs,
  paypalUrl,
  pem,
  rsa,
  same,
  sha256,
  snsFields,
  snsUrl,
  standard,
  text,
  textKey,
  token,
  url,
} from "./checks-by-hand.ts";

export type { Case, Incoming } from "./checks-by-hand.ts";
export { body, url } from "./checks-by-hand.ts";

/**
 * By the scheme's name. Apple's is missing, because only Apple can make its certificate chain; see
 * the tests.
 */
export const cases: Readonly<Record<string, Case>> = {
  "adyen-platform": hmac({ header: "hmacsignature", encoding: "base64", key: hexText }),
  adyen: {
    keys: hexText,
    body: filled({
      notificationItems: [
        {
          NotificationRequestItem: {
            pspReference: "7914073381342284",
            merchantAccountCode: "Account",
            merchantReference: "reference",
            amount: { value: 1130, currency: "EUR" },
            eventCode: "AUTHORISATION",
            success: "true",
          },
        },
      ],
    }),
    byHand: ({ body: raw }) => {
      const { notificationItems } = JSON.parse(raw.toString());
      return notificationItems.every(
        ({ NotificationRequestItem: item }: { NotificationRequestItem: Record<string, never> }) => {
          const { amount, eventCode, success, additionalData } = item as Record<string, Record<string, string>>;
          const fields = [
            ...adyenFields.map((name) => item[name] ?? ""),
            amount?.value,
            amount?.currency,
            eventCode,
            success,
          ];
          const expected = createHmac("sha256", hexKey).update(fields.join(":")).digest();
          return same(expected, additionalData?.hmacSignature ?? "", "base64");
        },
      );
    },
  },
  asana: hmac({ header: "x-hook-signature" }),
  "aws-sns": {
    keys: { key: pem(rsa.publicKey), id: snsUrl, algorithm: "rsa-sha256" },
    signing: { key: pem(rsa.privateKey), id: snsUrl, algorithm: "rsa-sha256" },
    settings: { topics: ["arn:aws:sns:us-east-1:1:t"] },
    body: JSON.stringify({ TopicArn: "arn:aws:sns:us-east-1:1:t", Message: "x".repeat(800) }),
    byHand: ({ body: raw }) => {
      const message = JSON.parse(raw.toString());
      if (message.SigningCertURL !== snsUrl || message.TopicArn !== "arn:aws:sns:us-east-1:1:t") return false;
      const content = snsFields.flatMap((name) => (message[name] === undefined ? [] : [`${name}\n${message[name]}\n`]));
      return verify("sha256", Buffer.from(content.join("")), rsa.publicKey, Buffer.from(message.Signature, "base64"));
    },
  },
  bitbucket: hmac({ header: "x-hub-signature", prefix: "sha256=" }),
  box: hmac({
    header: "box-signature-primary",
    encoding: "base64",
    time: ["box-delivery-timestamp", "iso", 600],
    after: (time) => time,
  }),
  cloudevents: token("authorization", "Bearer "),
  "coinbase-cdp": hook0,
  "coinbase-commerce": hmac({ header: "x-cc-webhook-signature" }),
  convoy: pairs("x-convoy-signature", ["t", "v1"], { window: 300, between: "," }),
  "convoy-simple": hmac({ header: "x-convoy-signature" }),
  discord: asymmetric(ed, "x-signature-ed25519", "hex", null, {
    before: (headers) => headers["x-signature-timestamp"] ?? "",
  }),
  docusign: hmac({ header: "x-docusign-signature-1", encoding: "base64" }),
  dropbox: hmac({ header: "x-dropbox-signature" }),
  ebay: {
    keys: { key: pem(p256.publicKey), id: "k1" },
    signing: { key: pem(p256.privateKey), id: "k1" },
    byHand: ({ headers, body: raw }) => {
      const { kid, signature } = JSON.parse(Buffer.from(headers["x-ebay-signature"] ?? "", "base64").toString());
      return kid === "k1" && verify("sha1", raw, p256.publicKey, Buffer.from(signature, "base64"));
    },
  },
  fal: asymmetric(ed, "x-fal-webhook-signature", "hex", null, {
    time: (headers) => Number(headers["x-fal-webhook-timestamp"]) * 1000,
    content: ({ headers, body: raw }) =>
      Buffer.from(
        `${headers["x-fal-webhook-request-id"]}\n${headers["x-fal-webhook-user-id"]}\n${headers["x-fal-webhook-timestamp"]}\n${sha256(raw)}`,
      ),
  }),
  fireblocks: {
    ...asymmetric(rsa, "", "hex", null),
    byHand: ({ headers, body: raw }) =>
      jws(headers["fireblocks-webhook-signature"] ?? "", raw, "sha512", rsa.publicKey) !== undefined,
  },
  gitea: hmac({ header: "x-gitea-signature" }),
  github: hmac({ header: "x-hub-signature-256", prefix: "sha256=" }),
  "github-secret-scanning": asymmetric(p256, "github-public-key-signature", "base64", "sha256"),
  gitlab: standard("webhook"),
  "gitlab-token": token("x-gitlab-token"),
  "google-pubsub": {
    ...asymmetric(rsa, "", "hex", null),
    settings: { audience: url, email: "push@example.iam.gserviceaccount.com" },
    byHand: ({ headers }) => {
      const claims = jws((headers.authorization ?? "").slice(7), undefined, "sha256", rsa.publicKey);
      return (
        claims !== undefined &&
        Number(claims.exp) * 1000 > Date.now() &&
        claims.iss === "https://accounts.google.com" &&
        claims.aud === url &&
        claims.email === "push@example.iam.gserviceaccount.com" &&
        claims.email_verified === true
      );
    },
  },
  hook0,
  "hubspot-v1": {
    keys: text,
    byHand: ({ headers, body: raw }) =>
      same(createHash("sha256").update(text).update(raw).digest(), headers["x-hubspot-signature"] ?? "", "hex"),
  },
  "hubspot-v2": {
    keys: text,
    byHand: ({ method, url: asked, headers, body: raw }) =>
      same(
        createHash("sha256").update(`${text}${method}${asked}`).update(raw).digest(),
        headers["x-hubspot-signature"] ?? "",
        "hex",
      ),
  },
  "hubspot-v3": hmac({
    header: "x-hubspot-signature-v3",
    encoding: "base64",
    time: ["x-hubspot-request-timestamp", "ms", 300],
    before: (_, { method, url: asked }) =>
      `${method}${asked.replace(/%(3A|2F|3F|40|21|24|27|28|29|2A|2C|3B)/gi, decodeURIComponent)}`,
    after: (time) => time,
  }),
  intercom: hmac({ header: "x-hub-signature", prefix: "sha1=", hash: "sha1" }),
  "lemon-squeezy": hmac({ header: "x-signature" }),
  linear: {
    ...hmac({ header: "linear-signature" }),
    body: filled({ type: "Issue", action: "create", webhookTimestamp: 0 }),
    byHand: ({ headers, body: raw }) =>
      same(createHmac("sha256", textKey).update(raw).digest(), headers["linear-signature"] ?? "", "hex") &&
      inWindow(JSON.parse(raw.toString()).webhookTimestamp, 600),
  },
  mailgun: {
    keys: text,
    byHand: ({ body: raw }) => {
      const { timestamp, token: once, signature } = JSON.parse(raw.toString()).signature;
      return same(createHmac("sha256", textKey).update(`${timestamp}${once}`).digest(), signature, "hex");
    },
  },
  meta: hmac({ header: "x-hub-signature-256", prefix: "sha256=" }),
  "microsoft-graph": {
    keys: text,
    body: filled({ value: [{ id: "n1", changeType: "created" }] }),
    byHand: ({ body: raw }) =>
      JSON.parse(raw.toString()).value.every(({ clientState }: { clientState: string }) =>
        same(Buffer.from(text), clientState, "utf8"),
      ),
  },
  okta: token("authorization"),
  paddle: pairs("paddle-signature", ["ts", "h1"], { separator: ";", window: 600, between: ":" }),
  pagerduty: pairs("x-pagerduty-signature", ["", "v1"], { window: 0, between: "", noTime: true }),
  paypal: {
    keys: { key: pem(rsa.publicKey), id: paypalUrl },
    signing: { key: pem(rsa.privateKey), id: paypalUrl },
    settings: { webhookId: "WH-1" },
    byHand: ({ headers, body: raw }) => {
      if (headers["paypal-cert-url"] !== paypalUrl) return false;
      const content = `${headers["paypal-transmission-id"]}|${headers["paypal-transmission-time"]}|WH-1|${crc32(raw)}`;
      return verify(
        "sha256",
        Buffer.from(content),
        rsa.publicKey,
        Buffer.from(headers["paypal-transmission-sig"] ?? "", "base64"),
      );
    },
  },
  plaid: {
    ...asymmetric(p256, "", "hex", null),
    byHand: ({ headers, body: raw }) => {
      const claims = jws(headers["plaid-verification"] ?? "", undefined, "sha256", p256.publicKey);
      return (
        claims !== undefined &&
        inWindow(Number(claims.iat) * 1000, 300) &&
        same(createHash("sha256").update(raw).digest(), String(claims.request_body_sha256), "hex")
      );
    },
  },
  quickbooks: hmac({ header: "intuit-signature", encoding: "base64" }),
  razorpay: hmac({ header: "x-razorpay-signature" }),
  revolut: hmac({
    header: "revolut-signature",
    prefix: "v1=",
    time: ["revolut-request-timestamp", "ms", 300],
    before: (time) => `v1.${time}.`,
  }),
  rfc9421: {
    keys: { key: pem(ed.publicKey), id: "k1" },
    signing: { key: pem(ed.privateKey), id: "k1" },
    byHand: ({ method, url: asked, headers, body: raw }) => {
      const [, params = "", listed = "", created = ""] =
        /^sig=(\(([^)]*)\);created=(\d+).*)$/.exec(headers["signature-input"] ?? "") ?? [];
      if (listed !== '"@method" "@target-uri" "content-digest"' || !inWindow(Number(created) * 1000, 300)) return false;
      const digest = headers["content-digest"] ?? "";
      const base = `"@method": ${method}\n"@target-uri": ${asked}\n"content-digest": ${digest}\n"@signature-params": ${params}`;
      const [, signature = ""] = /^sig=:(.*):$/.exec(headers.signature ?? "") ?? [];
      return (
        verify(null, Buffer.from(base), ed.publicKey, Buffer.from(signature, "base64")) &&
        same(createHash("sha256").update(raw).digest(), digest.slice("sha-256=:".length, -1), "base64")
      );
    },
  },
  sendgrid: asymmetric(p256, "x-twilio-email-event-webhook-signature", "base64", "sha256", {
    before: (headers) => headers["x-twilio-email-event-webhook-timestamp"] ?? "",
  }),
  sentry: hmac({ header: "sentry-hook-signature" }),
  shopify: hmac({ header: "x-shopify-hmac-sha256", encoding: "base64" }),
  slack: hmac({
    header: "x-slack-signature",
    prefix: "v0=",
    time: ["x-slack-request-timestamp", "s", 300],
    before: (time) => `v0:${time}:`,
  }),
  square: hmac({ header: "x-square-hmacsha256-signature", encoding: "base64", before: (_, { url: asked }) => asked }),
  "standard-webhooks": standard("webhook"),
  stripe: pairs("stripe-signature", ["t", "v1"], { window: 300, between: "." }),
  svix: standard("svix"),
  telnyx: asymmetric(ed, "telnyx-signature-ed25519", "base64", null, {
    before: (headers) => `${headers["telnyx-timestamp"]}|`,
    time: (headers) => Number(headers["telnyx-timestamp"]) * 1000,
  }),
  trello: hmac({ header: "x-trello-webhook", encoding: "base64", hash: "sha1", after: (_, { url: asked }) => asked }),
  truelayer: {
    ...asymmetric(p521, "", "hex", null),
    byHand: ({ method, url: asked, headers, body: raw }) => {
      const { pathname, search } = new URL(asked);
      const time = headers["x-tl-webhook-timestamp"] ?? "";
      const content = Buffer.concat([
        Buffer.from(`${method} ${pathname}${search}\nx-tl-webhook-timestamp: ${time}\n`),
        raw,
      ]);
      return (
        inWindow(Date.parse(time), 300) &&
        jws(headers["tl-signature"] ?? "", content, "sha512", p521.publicKey) !== undefined
      );
    },
  },
  turnkey: asymmetric(ed, "x-turnkey-signature", "hex", null, {
    before: (headers) =>
      `v1.ed25519.${headers["x-turnkey-signature-key-id"]}.${headers["x-turnkey-timestamp"]}.${headers["x-turnkey-event-id"]}.`,
    time: (headers) => Number(headers["x-turnkey-timestamp"]),
  }),
  twilio: {
    keys: text,
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: `MessageSid=SM1&From=%2B15551234&To=%2B15554321&Body=${"x".repeat(900)}`,
    byHand: ({ url: asked, headers, body: raw }) => {
      const fields = [...new URLSearchParams(raw.toString())].sort(([left], [right]) => (left < right ? -1 : 1));
      const content = asked + fields.map(([name, value]) => name + value).join("");
      return same(createHmac("sha1", textKey).update(content).digest(), headers["x-twilio-signature"] ?? "", "base64");
    },
  },
  twitch: hmac({
    header: "twitch-eventsub-message-signature",
    prefix: "sha256=",
    time: ["twitch-eventsub-message-timestamp", "iso", 600],
    before: (time, { headers }) => `${headers["twitch-eventsub-message-id"]}${time}`,
  }),
  typeform: hmac({ header: "typeform-signature", prefix: "sha256=", encoding: "base64" }),
  vercel: hmac({ header: "x-vercel-signature", hash: "sha1" }),
  webflow: hmac({
    header: "x-webflow-signature",
    time: ["x-webflow-timestamp", "ms", 300],
    before: (time) => `${time}:`,
  }),
  wise: asymmetric(rsa, "x-signature-sha256", "base64", "sha256"),
  woocommerce: hmac({ header: "x-wc-webhook-signature", encoding: "base64" }),
  workos: pairs("workos-signature", ["t", "v1"], { unit: "ms", window: 180, between: "." }),
  x: hmac({ header: "x-twitter-webhooks-signature", prefix: "sha256=", encoding: "base64" }),
  xero: hmac({ header: "x-xero-signature", encoding: "base64" }),
  zendesk: hmac({
    header: "x-zendesk-webhook-signature",
    encoding: "base64",
    time: ["x-zendesk-webhook-signature-timestamp", "iso", 300],
    before: (time) => time,
  }),
  zoom: hmac({
    header: "x-zm-signature",
    prefix: "v0=",
    time: ["x-zm-request-timestamp", "s", 300],
    before: (time) => `v0:${time}:`,
  }),
};
