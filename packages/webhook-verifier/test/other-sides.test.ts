import { EventWebhook } from "@sendgrid/eventwebhook";
import { verifyKey } from "discord-interactions";
import { createVerifier as createHttpVerifier, httpbis } from "http-message-signatures";
import { createLocalJWKSet, jwtVerify } from "jose";
import nock from "nock";
import MessageValidator from "sns-validator";
import { verify as truelayerVerify } from "truelayer-signing";
import { expect, test } from "vitest";
import { schemes } from "../src/all-schemes.ts";
import { signRequest } from "../src/index.ts";
import { certificate, certificatePem } from "./certificates.ts";
import { ed25519, now, p256, p521, pem, rsa, spki64 } from "./vectors/vector.ts";

// What the senders' own packages say to our signatures; the matrix has the other direction.
const pair = ed25519(7);
const body = '{"id":"evt_1"}';

test("discord-interactions accepts our signature", async () => {
  const { headers } = await signRequest(schemes.discord, { keys: pair.seed, body, timestamp: now });
  const { "x-signature-ed25519": signature = "", "x-signature-timestamp": timestamp = "" } = headers;
  expect(await verifyKey(body, signature, timestamp, pair.raw.toString("hex"))).toBe(true);
  expect(await verifyKey(`${body} `, signature, timestamp, pair.raw.toString("hex"))).toBe(false);
});

test("@sendgrid/eventwebhook accepts our signature", async () => {
  const { headers } = await signRequest(schemes.sendgrid, { keys: pem(p256.privateKey), body, timestamp: now });
  const webhook = new EventWebhook();
  const key = webhook.convertPublicKeyToECDSA(spki64(p256.publicKey));
  const signature = headers["x-twilio-email-event-webhook-signature"] ?? "";
  const timestamp = headers["x-twilio-email-event-webhook-timestamp"] ?? "";
  expect(webhook.verifySignature(key, body, signature, timestamp)).toBe(true);
});

test("truelayer-signing accepts our signature", async () => {
  const keys = { key: pem(p521.privateKey), id: "k1" };
  const { headers } = await signRequest(schemes.truelayer, {
    keys,
    body,
    url: "https://h.example.com/in",
    timestamp: now,
  });
  truelayerVerify({
    publicKeyPem: pem(p521.publicKey),
    signature: headers["tl-signature"] ?? "",
    // A const enum of a package: only its value can be used here.
    method: "POST" as Parameters<typeof truelayerVerify>[0]["method"],
    path: "/in",
    headers: { "x-tl-webhook-timestamp": headers["x-tl-webhook-timestamp"] ?? "" },
    body,
  });
});

test("jose accepts our Plaid token", async () => {
  const keys = { key: pem(p256.privateKey), id: "k1" };
  const { headers } = await signRequest(schemes.plaid, { keys, body, timestamp: now });
  const set = createLocalJWKSet({ keys: [{ ...p256.publicKey.export({ format: "jwk" }), kid: "k1", alg: "ES256" }] });
  await jwtVerify(headers["plaid-verification"] ?? "", set, { currentDate: new Date(now) });
});

test("http-message-signatures accepts our RFC 9421 signature", async () => {
  const keys = { key: pair.seed, id: "k1" };
  const request = await signRequest(schemes.rfc9421, {
    keys,
    body,
    url: "https://h.example.com/in?a=1",
  });
  const verify = createHttpVerifier(pair.publicKey, "ed25519");
  const accepted = await httpbis.verifyMessage(
    { keyLookup: async () => ({ id: "k1", algs: ["ed25519"], verify }) },
    { method: request.method, url: request.url ?? "", headers: { ...request.headers } },
  );
  expect(accepted).toBe(true);
});

test("sns-validator accepts our message", async () => {
  const url = "https://sns.us-east-1.amazonaws.com/SimpleNotificationService-test.pem";
  const cert = certificate({
    subject: "sns.amazonaws.com",
    issuer: "Root",
    subjectKey: rsa.publicKey,
    issuerKey: rsa.privateKey,
    notBefore: now,
    notAfter: now + 1000,
  });
  nock("https://sns.us-east-1.amazonaws.com")
    .get("/SimpleNotificationService-test.pem")
    .reply(200, certificatePem(cert));
  const settings = { topics: ["arn:aws:sns:us-east-1:1:t"] };
  const message = JSON.stringify({ TopicArn: "arn:aws:sns:us-east-1:1:t", Message: "line 1\nline 2", Subject: "s" });
  const request = await signRequest(schemes["aws-sns"], {
    keys: { key: pem(rsa.privateKey), id: url },
    settings,
    body: message,
  });
  const outcome = await new Promise((done) => {
    new MessageValidator().validate(Buffer.from(request.body).toString(), (error) => done(error));
  });
  nock.restore();
  expect(outcome).toBeNull();
});
