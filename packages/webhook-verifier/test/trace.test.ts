import { expect, test } from "vitest";
import { schemes } from "../src/all-schemes.ts";
import { sha256Hex, sign, traceVerification, type VerifierOptions } from "../src/index.ts";

const now = Date.UTC(2026, 10, 28, 12);
const key = "whsec_a secret of the endpoint, long enough";
const body = '{"id":"evt_1","type":"invoice.paid","n":1.50}';
const { stripe, github, twilio, shopify } = schemes;

const stripeHeaders = (sent = body, timestamp = now) => sign(stripe, { keys: key, body: sent, timestamp });
const traceStripe = async (
  changes: { readonly body?: string; readonly at?: number } & Partial<VerifierOptions> = {},
) => {
  const { body: arrived = body, at = now, ...options } = changes;
  const request = { method: "POST", headers: { ...(await stripeHeaders()), accept: "*/*" }, body: arrived };
  return traceVerification(stripe, { keys: key, now: () => at, ...options }, request);
};

test("says of a valid delivery what was signed, with which key, and on what repeats are decided", async () => {
  const keys = [
    { key: "another secret, of another key", id: "old" },
    { key, id: "new" },
  ];
  const trace = await traceStripe({ keys, at: now + 4_000 });
  const content = new TextEncoder().encode(`${now / 1000}.${body}`);
  expect(trace).toEqual({
    scheme: "stripe",
    valid: true,
    code: undefined,
    message: undefined,
    hint: undefined,
    id: "evt_1",
    type: "invoice.paid",
    headers: [{ name: "stripe-signature", length: expect.any(Number) }],
    signatures: 1,
    covered: ["timestamp", "body", "id", "type"],
    content: "{timestamp}.{body}",
    signed: { bytes: content.length, sha256: await sha256Hex(content) },
    body: { bytes: body.length, sha256: await sha256Hex(new TextEncoder().encode(body)) },
    keys: { tried: 2, named: undefined, matched: 2, id: "new" },
    time: { signedAt: now, skewSeconds: 4, toleranceSeconds: 300 },
    repeat: { by: "signed-id", key: "evt_1" },
  });
});

test("never contains a secret, a signature, or the one that would have been right", async () => {
  const wrong = "a key that does not fit, of another endpoint";
  const signature = (await sign(github, { keys: key, body }))["x-hub-signature-256"] ?? "";
  const expected = (await sign(github, { keys: wrong, body }))["x-hub-signature-256"] ?? "";
  const headers = { "x-hub-signature-256": signature, "x-github-delivery": "d-1", authorization: `Bearer ${key}` };
  const trace = await traceVerification(github, { keys: wrong }, { headers, body });
  const text = JSON.stringify(trace);
  for (const secret of [key, wrong, signature, expected]) expect(text).not.toContain(secret.replace("sha256=", ""));
  expect(trace).toMatchObject({ code: "signature_mismatch", keys: { tried: 1 }, repeat: undefined });
  expect(trace.keys?.matched).toBeUndefined();
  expect(trace.hint).toContain("another one (of another endpoint");
});

test("shows the values of headers with ids and times alone, cut and in printable characters", async () => {
  const { "standard-webhooks": standard } = schemes;
  const keys = `whsec_${btoa("x".repeat(32))}`;
  const headers = await sign(standard, { keys, body, id: "msg_1", timestamp: now });
  const { headers: shown } = await traceVerification(standard, { keys, now: () => now }, { headers, body });
  expect(Object.fromEntries(shown.map(({ name, value }) => [name, value]))).toEqual({
    "webhook-id": "msg_1",
    "webhook-timestamp": String(now / 1000),
    "webhook-signature": undefined,
  });
  const long = { ...headers, "webhook-id": `\u001b[31m${"é".repeat(300)}` };
  const cut = await traceVerification(standard, { keys, now: () => now }, { headers: long, body });
  expect(cut.headers.find(({ name }) => name === "webhook-id")).toEqual({
    name: "webhook-id",
    length: 305,
    value: `?[31m${"?".repeat(195)}`,
  });
});

test.each([
  ["without the line break at its end", (sent: string) => sent, `${body}\n`],
  ["with a line break at its end", (sent: string) => `${sent}\n`, body],
  [
    "as JSON without spaces",
    (sent: string) => sent.replace("1.50", "1.5"),
    '{\n  "id": "evt_1",\n  "type": "invoice.paid",\n  "n": 1.5\n}',
  ],
  ["as JSON indented by two spaces", () => '{\n  "id": 1\n}', '{"id":1}'],
  ["decoded from base64", (sent: string) => sent, btoa(body)],
  ["with CRLF in place of LF", () => '{\r\n"id":1}', '{\n"id":1}'],
])("finds that the signature fits the body %s", async (what, signed, arrived) => {
  const headers = await stripeHeaders(signed(body));
  const trace = await traceVerification(stripe, { keys: key, now: () => now }, { headers, body: arrived });
  expect(trace.code).toBe("signature_mismatch");
  expect(trace.hint).toContain(`the signature fits the body ${what}, so a proxy or a parser changed`);
});

test("tries no other spelling of a long body", async () => {
  const long = `${" ".repeat(256 * 1024)}${body}`;
  const headers = await stripeHeaders(`${long}\n`);
  const trace = await traceVerification(stripe, { keys: key, now: () => now }, { headers, body: long });
  expect(trace.hint).toContain("Either the key is another one");
});

test("finds that the sender has called another address", async () => {
  const url = "https://example.com/hooks/twilio?a=1";
  const form = "Body=hello&From=1";
  const request = { url, body: form, headers: { "content-type": "application/x-www-form-urlencoded" } };
  const signed = await sign(twilio, { keys: key, url, body: form, headers: request.headers });
  const seen = {
    method: "POST",
    url: url.replace("https", "http"),
    headers: { ...request.headers, ...signed },
    body: form,
  };
  const trace = await traceVerification(twilio, { keys: key }, seen);
  expect(trace).toMatchObject({ code: "signature_mismatch" });
  expect(trace.hint).toContain("the signature fits the address https://example.com/hooks/twilio, so");
});

test.each([
  [7 * 60_000, "timestamp_too_old", "signed 7 min before it came: this machine's clock is 7 min fast"],
  [-3 * 86_400_000, "timestamp_too_new", "signed 3 days after it came: this machine's clock is 3 days slow"],
])("says by how much a clock is off: %d ms", async (ms, code, hint) => {
  const trace = await traceStripe({ at: now + ms });
  expect(trace).toMatchObject({ valid: false, code, time: { skewSeconds: ms / 1000 }, keys: { matched: 1 } });
  expect(trace.hint).toContain(hint);
});

test("says of a request without a signature which header is missing", async () => {
  const trace = await traceVerification(shopify, { keys: key }, { headers: {}, body });
  expect(trace).toMatchObject({ code: "header_missing", signed: undefined, keys: undefined, signatures: 0 });
  expect(trace.headers).toEqual([{ name: "x-shopify-hmac-sha256" }, { name: "shopify-hmac-sha256" }]);
  expect(trace.body?.bytes).toBe(body.length);
  const twice = { "stripe-signature": ["t=1,v1=aa", "t=2,v1=bb"] };
  const repeated = await traceVerification(stripe, { keys: key }, { headers: twice, body });
  expect(repeated).toMatchObject({ code: "header_repeated", headers: [{ name: "stripe-signature" }] });
});

test("says of a body that is no bytes, or too long, that it is", async () => {
  const parsed = await traceVerification(stripe, { keys: key }, { headers: {}, body: {} as string });
  expect(parsed).toMatchObject({ code: "body_not_raw", body: undefined, headers: [] });
  const long = await traceVerification(stripe, { keys: key, maxBodyBytes: 3 }, { headers: {}, body });
  expect(long).toMatchObject({ code: "body_too_large", body: undefined });
});

test("says that no key is valid now", async () => {
  const keys = [{ key, id: "k1", notAfter: now - 1 }];
  const trace = await traceStripe({ keys });
  expect(trace).toMatchObject({ code: "key_unknown", keys: undefined, signatures: 1 });
  expect(trace.hint).toContain("Give the keys that the sender shows now");
});
