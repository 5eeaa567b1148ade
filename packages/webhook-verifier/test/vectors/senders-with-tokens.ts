import { createHash } from "node:crypto";
import { FlattenedSign, SignJWT } from "jose";
import { body, changed, keys, other, secret } from "./usual-request.ts";
import { now, otherRsa, pem, rsa, type Vector, type VectorRequest } from "./vector.ts";

const thirdParty = new TextEncoder();

const fusionauthBody = '{"event":{"id":"e1","type":"user.create","user":{"fullName":"Zoë \\u00fc"}}}';
const lagoBody = '{"webhook_type":"invoice.created","object_type":"invoice","invoice":{"note":"Zoë \\u00fc"}}';
const digest = (text: string, encoding: "hex" | "base64"): string => createHash("sha256").update(text).digest(encoding);

/** A JWT that jose makes: an implementation that shares nothing with ours. */
const secretJwt = (claims: Record<string, unknown>): Promise<string> =>
  new SignJWT(claims).setProtectedHeader({ alg: "HS256", typ: "JWT" }).sign(thirdParty.encode(secret));
const rsaJwt = (claims: Record<string, unknown>): Promise<string> =>
  new SignJWT(claims).setProtectedHeader({ alg: "RS256", typ: "JWT", kid: "k1" }).sign(rsa.privateKey);

const rsaKeys = {
  keys: { key: pem(rsa.publicKey), id: "k1" },
  otherKeys: { key: pem(otherRsa.publicKey), id: "k1" },
} as const;

/** A sender that says who it is with an ID token. */
const identified = async (
  settings: Record<string, string>,
  claims: Record<string, unknown>,
  expected: Vector["expected"] = {},
  headers: Record<string, string> = {},
  text = body,
): Promise<Vector> => ({
  from: "formula",
  ...rsaKeys,
  settings,
  request: {
    headers: {
      authorization: `Bearer ${await rsaJwt({ iat: now / 1000, exp: now / 1000 + 3600, ...claims })}`,
      ...headers,
    },
    body: text,
  },
  expected: { keyId: "k1", covered: ["sender"], ...expected },
  resigning: { keys: { key: pem(rsa.privateKey), id: "k1" }, timestamp: now, settings, body: text },
});

const account = { email: "pusher@example.com", email_verified: true };
const google = { iss: "https://accounts.google.com", aud: "https://hooks.example.com/in" };

/** A sender that shows a secret instead of signing. */
const shown = (
  headers: Record<string, string>,
  expected: Vector["expected"],
  text: string,
  more: Partial<Vector> = {},
): Vector => ({
  from: "formula",
  ...keys,
  request: { headers, body: text },
  expected: { covered: ["sender"], ...expected },
  signing: { keys: secret },
  ...more,
});
const userAndPassword = "postern:correct horse battery staple";
const basic = `Basic ${Buffer.from(userAndPassword).toString("base64")}`;
const basicKeys = {
  keys: userAndPassword,
  otherKeys: "postern:another horse battery staple",
  signing: { keys: userAndPassword },
} as const;

const grid = '[{"id":"g1","eventType":"Microsoft.Storage.BlobCreated"}]';

const kindeClaims = { event_id: "event_1", type: "user.created", data: {} };
const kindeBody = await rsaJwt(kindeClaims);
const wixEvent = '{"eventType":"AppInstalled","instanceId":"i1","data":"{\\"id\\":\\"w1\\"}"}';
const wixBody = await rsaJwt({ data: wixEvent, iat: now / 1000, exp: now / 1000 + 300 });
const signatureCut = (request: VectorRequest): VectorRequest => ({
  ...request,
  body: String(request.body).slice(0, -4),
});

const saleorJws = await new FlattenedSign(thirdParty.encode(body))
  .setProtectedHeader({ alg: "RS256", typ: "JWT", b64: false, crit: ["b64"], kid: "k1" })
  .sign(rsa.privateKey);

/** Vectors of senders that send a token: a secret, a password, an ID token or another JWT. */
export const sendersWithTokens: Readonly<Record<string, Vector>> = {
  token: shown({ authorization: `Bearer ${secret}` }, {}, body),
  "basic-auth": shown({ authorization: basic }, {}, body, basicKeys),
  chargebee: shown(
    { authorization: basic },
    { id: "ev_1", type: "customer_created", dedupeKey: "ev_1" },
    '{"id":"ev_1","event_type":"customer_created"}',
    basicKeys,
  ),
  postmark: shown({ authorization: basic }, { type: "Bounce" }, '{"RecordType":"Bounce"}', basicKeys),
  telegram: shown(
    { "x-telegram-bot-api-secret-token": secret },
    { id: "7", dedupeKey: "7" },
    '{"update_id":7,"message":{}}',
  ),
  auth0: shown({ authorization: secret }, {}, '[{"log_id":"l1","data":{"type":"s"}}]'),
  figma: {
    ...shown({}, { type: "FILE_UPDATE" }, `{"event_type":"FILE_UPDATE","passcode":"${secret}"}`),
    tampered: {
      "the passcode changed": changed(secret, other),
      "the passcode cut": changed(secret, secret.slice(0, -1)),
      "no passcode": () => ({ headers: {}, body: '{"event_type":"FILE_UPDATE"}' }),
    },
  },
  "azure-event-grid": shown({ authorization: `Bearer ${secret}` }, {}, grid),
  oidc: await identified(
    { issuer: "https://login.example.com", audience: "hooks", subject: "s1" },
    { iss: "https://login.example.com", aud: ["others", "hooks"], sub: "s1" },
  ),
  "google-cloud-tasks": await identified(
    { audience: google.aud, email: account.email },
    { ...google, ...account },
    { id: "t1" },
    { "x-cloudtasks-taskname": "t1" },
  ),
  "google-cloud-scheduler": await identified({ audience: google.aud, email: account.email }, { ...google, ...account }),
  "google-chat": await identified(
    { audience: google.aud },
    { ...google, email: "chat@system.gserviceaccount.com", email_verified: true },
    { type: "MESSAGE" },
    {},
    '{"type":"MESSAGE"}',
  ),
  netlify: {
    from: "formula",
    ...keys,
    request: {
      headers: {
        "x-webhook-signature": await secretJwt({ iss: "netlify", sha256: digest(body, "hex") }),
        "x-netlify-event": "deploy_created",
      },
      body,
    },
    expected: { type: "deploy_created", covered: ["body"] },
    resigning: { keys: secret },
  },
  fusionauth: {
    // FusionAuth's documents verify it with jose, which makes it here.
    from: "formula",
    ...rsaKeys,
    request: {
      headers: {
        "x-fusionauth-signature-jwt": await rsaJwt({ request_body_sha256: digest(fusionauthBody, "base64") }),
      },
      body: fusionauthBody,
    },
    expected: { id: "e1", type: "user.create", keyId: "k1", covered: ["body", "id", "type"], dedupeKey: "e1" },
    resigning: { keys: { key: pem(rsa.privateKey), id: "k1" } },
  },
  "lago-jwt": {
    from: "formula",
    ...rsaKeys,
    settings: { issuer: "https://api.getlago.com" },
    request: {
      headers: {
        "x-lago-signature": await rsaJwt({ data: lagoBody, iss: "https://api.getlago.com" }),
        "x-lago-unique-key": "u1",
      },
      body: lagoBody,
    },
    expected: { id: "u1", type: "invoice.created", keyId: "k1", covered: ["body", "type"] },
    resigning: {
      keys: { key: pem(rsa.privateKey), id: "k1" },
      settings: { issuer: "https://api.getlago.com" },
      headers: { "x-lago-unique-key": "u1" },
    },
  },
  livekit: {
    // livekit-server-sdk 2.19.2 (AccessToken, and WebhookReceiver.receive).
    from: "package",
    keys: { key: secret, id: "APIkey1" },
    otherKeys: { key: other, id: "APIkey1" },
    request: {
      headers: {
        authorization:
          "eyJhbGciOiJIUzI1NiJ9.eyJzaGEyNTYiOiJaWVErbFhQNnYrOVdFSkFCb0UvMGhsNmNVaVBZVEJIYkRNNG93OUJ6d1FFPSIsImlzcyI6IkFQSWtleTEiLCJleHAiOjE3OTUyNjI3MDAsIm5iZiI6MTc5NTI2MjQwMH0.FTcpGrVlrjryGMfxFx2KpYX8BooBvp_is-iPQw_97k0",
      },
      body: '{"event":"room_started","id":"EV_1"}',
    },
    expected: {
      id: "EV_1",
      type: "room_started",
      keyId: "APIkey1",
      covered: ["body", "id", "type"],
      dedupeKey: "EV_1",
    },
    resigning: { keys: { key: secret, id: "APIkey1" }, timestamp: now },
  },
  vonage: {
    // Accepted by @vonage/jwt 1.14.0 (verifySignature).
    from: "package",
    ...keys,
    request: {
      headers: {
        authorization:
          "Bearer eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpYXQiOjE3OTUyNjI0MDAsImp0aSI6ImoxIiwiaXNzIjoiVm9uYWdlIiwicGF5bG9hZF9oYXNoIjoiMjQ5OTM1OGQzYjczNjYwZGQzOGVlMzAzMzhhMzcwNDVhZTIyMDYyYzQxZjFiZTlkZjE0MjI4NWE2MTVhNmFlOSIsImFwaV9rZXkiOiJrIn0.kNBVWrzr6qVRMSeWn2Yvv3q42ot4UTALbPq828L4MHM",
      },
      body: '{"status":"delivered"}',
    },
    expected: { type: "delivered", timestamp: now, covered: ["body", "timestamp", "type"] },
    resigning: { keys: secret, timestamp: now },
  },
  messagebird: {
    // The reference data of messagebird 4.0.1.
    from: "package",
    keys: "36efdd1aace2e26cd490f0d951138253bef2f7c6d34d18981da781555cc4cebb",
    otherKeys: other,
    now: Date.parse("2021-07-05T12:00:00+02:00"),
    request: {
      method: "POST",
      url: "https://example.com/path?bar=1&foo=2",
      headers: {
        "messagebird-signature-jwt":
          "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJNZXNzYWdlQmlyZCIsIm5iZiI6MTYyNTQ3OTIwMCwiZXhwIjoxNjI1NDc5MjYwLCJqdGkiOiI5M2U1NTAwNi1hMGU4LTQ1MjYtYTE5MC1mYTVmZjAwZWExMTYiLCJ1cmxfaGFzaCI6IjQxZjA1ZjBkZGQwYTIyYWIyMDlhYzQ2ZjQ3YzQ1NzJkOWNlZmEyNTdlZDc0YjI0MDA0YmFlNzUzZWNlNmMyNjAiLCJwYXlsb2FkX2hhc2giOiJkZmZkNjAyMWJiMmJkNWIwYWY2NzYyOTA4MDllYzNhNTMxOTFkZDgxYzdmNzBhNGIyODY4OGEzNjIxODI5ODZmIn0._H--TOuYFLpeEH39-rg5E3IHVkjHozBcaKVWPRC5m9I",
      },
      body: "Hello, World!",
    },
    expected: { timestamp: 1625479200000, covered: ["url", "body", "timestamp"] },
    resigning: {
      keys: "36efdd1aace2e26cd490f0d951138253bef2f7c6d34d18981da781555cc4cebb",
      timestamp: 1625479200000,
    },
  },
  monday: {
    from: "formula",
    ...keys,
    request: {
      headers: { authorization: await secretJwt({ accountId: 1, exp: now / 1000 + 300 }) },
      body: '{"event":{"triggerUuid":"u1","type":"create_pulse"}}',
    },
    expected: { id: "u1", type: "create_pulse", covered: ["sender"], dedupeKey: "u1" },
    resigning: { keys: secret },
  },
  kinde: {
    from: "formula",
    ...rsaKeys,
    request: { headers: { "content-type": "application/jwt" }, body: kindeBody },
    expected: {
      id: "event_1",
      type: "user.created",
      keyId: "k1",
      covered: ["body", "id", "type"],
      dedupeKey: "event_1",
    },
    resigning: { keys: { key: pem(rsa.privateKey), id: "k1" }, body: JSON.stringify(kindeClaims) },
    tampered: {
      "the signature cut": signatureCut,
      "other claims": (request) => {
        const [header = "", , signature = ""] = kindeBody.split(".");
        const claims = Buffer.from('{"event_id":"event_2"}').toString("base64url");
        return { ...request, body: `${header}.${claims}.${signature}` };
      },
    },
  },
  wix: {
    from: "formula",
    ...rsaKeys,
    request: { headers: {}, body: wixBody },
    expected: { id: "w1", type: "AppInstalled", keyId: "k1", covered: ["body", "id", "type"] },
    resigning: { keys: { key: pem(rsa.privateKey), id: "k1" }, body: wixEvent },
    tampered: { "the signature cut": signatureCut },
  },
  saleor: {
    from: "formula",
    ...rsaKeys,
    request: {
      headers: {
        "saleor-signature": `${saleorJws.protected ?? ""}..${saleorJws.signature}`,
        "saleor-event": "order_created",
      },
      body,
    },
    expected: { type: "order_created", keyId: "k1", covered: ["body"] },
    resigning: { keys: { key: pem(rsa.privateKey), id: "k1" }, type: "order_created" },
  },
};
