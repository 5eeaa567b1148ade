import { createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import { schemes } from "../../src/all-schemes.ts";
import {
  base64,
  createVerifier,
  hmac,
  type Scheme,
  type Settings,
  signRequest,
  type WebhookRequest,
} from "../../src/index.ts";
import { bytes, expectRefusal, now } from "../support.ts";
import { vectors } from "../vectors/index.ts";

const secret = "a secret that only the two know";
const url = "https://hooks.example.com/in";
const seconds = String(now / 1000);
const hex = (hash: string, key: string, ...content: string[]): string =>
  createHmac(hash, key).update(content.join("")).digest("hex");

const receiver = (scheme: Scheme, settings?: Settings, keys: Parameters<typeof createVerifier>[1]["keys"] = secret) =>
  createVerifier(scheme, { keys, now: () => now, ...(settings !== undefined && { settings }) });

const get = (query: string): WebhookRequest => ({ method: "GET", url: `${url}?${query}`, headers: {}, body: "" });

export const senders = (): void => {
  describe("token", () => {
    test("is taken from the header of your choice, and from no other", async () => {
      const { verify } = receiver(schemes.token, { header: "X-Acme-Token" });
      expect((await verify({ headers: { "x-acme-token": secret }, body: "{}" })).covered).toEqual(["sender"]);
      await expectRefusal(verify({ headers: { "x-acme-token": `${secret}x` }, body: "{}" }), "signature_mismatch");
      await expectRefusal(verify({ headers: { authorization: secret }, body: "{}" }), "header_missing");
    });

    test("has a prefix of your choice", async () => {
      const { verify } = receiver(schemes.token, { header: "Authorization", prefix: "Token " });
      await verify({ headers: { authorization: `Token ${secret}` }, body: "{}" });
      await expectRefusal(verify({ headers: { authorization: secret }, body: "{}" }), "signature_malformed");
    });

    test("is taken from a query parameter that stands there once", async () => {
      const { verify } = receiver(schemes.token, { query: "key" });
      const asked = (query: string) => verify({ method: "POST", url: `${url}?${query}`, headers: {}, body: "{}" });
      await asked(`a=b&key=${encodeURIComponent(secret)}`);
      await expectRefusal(asked("key=other"), "signature_mismatch");
      await expectRefusal(asked("a=b"), "signature_missing");
      await expectRefusal(asked(`key=${encodeURIComponent(secret)}&key=x`), "signature_missing");
      await expectRefusal(
        verify({ headers: { authorization: `Bearer ${secret}` }, url, body: "{}" }),
        "signature_missing",
      );
    });

    test("hands on JSON and forms", async () => {
      const { verify } = receiver(schemes.token);
      const sent = async (body: string) =>
        (await verify({ headers: { authorization: `Bearer ${secret}` }, body })).payload;
      expect(await sent('{"a":"b"}')).toEqual({ a: "b" });
      expect({ ...((await sent("a=b&c=d%20e")) as object) }).toEqual({ a: "b", c: "d e" });
    });

    test("is put where it will be looked for", async () => {
      for (const settings of [{ query: "key" }, { header: "X-Acme-Token" }, { header: "X-A", prefix: "v1 " }]) {
        const request = await signRequest(schemes.token, { keys: secret, body: "{}", url: `${url}?a=b`, settings });
        await receiver(schemes.token, settings).verify(request);
      }
    });
  });

  test("azure-event-grid answers its validation code only to the right token", async () => {
    const { handshake, verify } = receiver(schemes["azure-event-grid"], { query: "code" });
    const body = '[{"id":"1","data":{"validationCode":"512d38b6"}}]';
    const ask = (code: string) => ({
      method: "POST",
      url: `${url}?code=${encodeURIComponent(code)}`,
      headers: { "aeg-event-type": "SubscriptionValidation" },
      body,
    });
    const answer = await handshake(ask(secret));
    expect(answer).toMatchObject({ status: 200, body: '{"validationResponse":"512d38b6"}' });
    await expectRefusal(handshake(ask("other")), "signature_mismatch");
    const event = {
      ...ask(secret),
      headers: { "aeg-event-type": "Notification" },
      body: '[{"id":"g1","eventType":"t"}]',
    };
    expect(await handshake(event)).toBeUndefined();
    expect((await verify(event)).items).toMatchObject([{ id: "g1", type: "t", dedupeKey: "g1" }]);
  });

  describe("notion", () => {
    const body = '{"verification_token":"secret_tMrlL1qK5vuQAh1b6cZGhFChZTSYJlce98V0pYn7yBl"}';

    test("hands out the key of the handshake only while a subscription is being made", async () => {
      const request = { method: "POST", url, headers: {}, body };
      const open = receiver(schemes.notion, { acceptSecret: "yes" }, []);
      expect(await open.handshake(request)).toEqual({
        status: 200,
        headers: {},
        body: "",
        key: "secret_tMrlL1qK5vuQAh1b6cZGhFChZTSYJlce98V0pYn7yBl",
      });
      expect(await receiver(schemes.notion).handshake(request)).toBeUndefined();
      const signed = { ...request, headers: { "x-notion-signature": `sha256=${hex("sha256", secret, body)}` } };
      expect(await open.handshake(signed)).toBeUndefined();
    });
  });

  describe("websub", () => {
    const settings = { topics: ["https://example.com/feed"] };
    const topic = encodeURIComponent("https://example.com/feed");

    test("confirms subscriptions to its own topics, and to no others", async () => {
      const { handshake } = receiver(schemes.websub, settings);
      for (const mode of ["subscribe", "unsubscribe"])
        expect(await handshake(get(`hub.mode=${mode}&hub.topic=${topic}&hub.challenge=c1`))).toMatchObject({
          status: 200,
          body: "c1",
        });
      expect(await handshake(get("hub.mode=subscribe&hub.topic=https%3A%2F%2Fx&hub.challenge=c1"))).toMatchObject({
        status: 404,
        body: "",
      });
      expect(await handshake(get(`hub.mode=denied&hub.topic=${topic}`))).toMatchObject({ status: 200, body: "" });
      expect(await handshake(get("a=b"))).toBeUndefined();
    });

    test("hands a feed on as text", async () => {
      const body = "<feed>ü</feed>";
      const request = { headers: { "x-hub-signature": `sha256=${hex("sha256", secret, body)}` }, body };
      expect((await receiver(schemes.websub).verify(request)).payload).toBe(body);
    });

    test("takes no other hash than the key's, whatever a message names", async () => {
      const signed = (hash: string) => ({
        headers: { "x-hub-signature": `${hash}=${hex(hash, secret, "<feed/>")}` },
        body: "<feed/>",
      });
      await receiver(schemes.websub, settings).verify(signed("sha256"));
      await expectRefusal(receiver(schemes.websub, settings).verify(signed("sha1")), "signature_mismatch");
      for (const [hash, algorithm] of [
        ["sha1", "hmac-sha1"],
        ["sha384", "hmac-sha384"],
        ["sha512", "hmac-sha512"],
      ] as const) {
        const { verify } = receiver(schemes.websub, settings, { key: secret, algorithm });
        await verify(signed(hash));
        await expectRefusal(verify(signed("sha256")), "signature_mismatch");
      }
      await expectRefusal(
        receiver(schemes.websub).verify({ headers: { "x-hub-signature": "md5=00" }, body: "" }),
        "signature_malformed",
      );
    });
  });

  describe("linkedin", () => {
    test("answers the challenge with its code, and no text that is not an id", async () => {
      const { handshake } = receiver(schemes.linkedin);
      const code = "890e4665-4dfe-4ab1-b689-ed553bceeed0";
      expect(await handshake(get(`challengeCode=${code}`))).toMatchObject({
        status: 200,
        body: JSON.stringify({ challengeCode: code, challengeResponse: hex("sha256", secret, code) }),
      });
      // With the prefix it would be the signature of a body that the caller chose.
      expect(await handshake(get("challengeCode=hmacsha256%3D%7B%7D"))).toBeUndefined();
    });

    test("takes both readings of what is signed", async () => {
      const { verify } = receiver(schemes.linkedin);
      const body = '{"type":"t"}';
      await verify({ headers: { "x-li-signature": hex("sha256", secret, body) }, body });
      await verify({ headers: { "x-li-signature": `hmacsha256=${hex("sha256", secret, "hmacsha256=", body)}` }, body });
      await expectRefusal(
        verify({ headers: { "x-li-signature": hex("sha256", secret, "sha256=", body) }, body }),
        "signature_mismatch",
      );
    });
  });

  test("mandrill answers the HEAD request with which a webhook is made", async () => {
    const { handshake } = receiver(schemes.mandrill);
    expect(await handshake({ method: "HEAD", url, headers: {} })).toMatchObject({ status: 200, body: "" });
    expect(await handshake({ method: "POST", url, headers: {}, body: "" })).toBeUndefined();
  });

  test("mandrill gives every event an id that only it has", async () => {
    const events = [
      { _id: "m1", event: "open", ts: 1 },
      { _id: "m1", event: "open", ts: 2 },
      { type: "whitelist", action: "add" },
    ];
    const body = new URLSearchParams({ mandrill_events: JSON.stringify(events) }).toString();
    const request = await signRequest(schemes.mandrill, { keys: secret, url, body });
    const { items } = await receiver(schemes.mandrill).verify(request);
    expect(items?.map(({ id, type }) => [id, type])).toEqual([
      ["m1:open:1", "open"],
      ["m1:open:2", "open"],
      [undefined, "whitelist"],
    ]);
    expect(new Set(items?.map(({ dedupeKey }) => dedupeKey)).size).toBe(3);
  });

  describe("braintree", () => {
    const keys = { key: secret, id: "public_key_1" };

    test("answers the challenge as Braintree's own package does, and nothing else", async () => {
      const { handshake } = receiver(schemes.braintree, { publicKey: "public_key_1" }, keys);
      // braintree 3.40.0: gateway.webhookNotification.verify.
      expect(await handshake(get("bt_challenge=20f9f8ed05f77439fe955c977e4c8a53"))).toMatchObject({
        status: 200,
        body: "public_key_1|e1a42c818e0c00d7fd49cd1236094b2722110fec",
      });
      expect(await handshake(get("bt_challenge=PG5vdGlmaWNhdGlvbj4"))).toBeUndefined();
      expect(
        await receiver(schemes.braintree, {}, keys).handshake(get("bt_challenge=20f9f8ed05f77439fe955c977e4c8a53")),
      ).toBeUndefined();
    });

    test("takes the right one of several signatures, and hands on the XML", async () => {
      const { body = "" } = vectors.braintree?.request ?? {};
      const form = new URLSearchParams(String(body));
      form.set("bt_signature", `other|${"0".repeat(40)}&${form.get("bt_signature") ?? ""}`);
      const delivery = await receiver(schemes.braintree, {}, keys).verify({ headers: {}, body: form.toString() });
      expect(delivery.payload).toContain("<kind>subscription_went_past_due</kind>");
    });
  });

  test("authorize-net takes the key as text and as the bytes of its hex digits", async () => {
    const key = "0123456789ABCDEF".repeat(8);
    const body = '{"notificationId":"n1"}';
    const { verify } = receiver(schemes["authorize-net"], undefined, key);
    const asBytes = createHmac("sha512", Buffer.from(key, "hex")).update(body).digest("hex");
    await verify({ headers: { "x-anet-signature": `sha512=${asBytes.toUpperCase()}` }, body });
    await expectRefusal(
      verify({ headers: { "x-anet-signature": `sha512=${asBytes}` }, body: `${body} ` }),
      "signature_mismatch",
    );
  });

  test("paymongo takes test events only where they are asked for, and never as live ones", async () => {
    const body = '{"data":{"id":"evt_1"}}';
    const signed = (name: string) => ({
      headers: { "paymongo-signature": `t=${seconds},${name}=${hex("sha256", secret, `${seconds}.`, body)}` },
      body,
    });
    await receiver(schemes.paymongo, { mode: "test" }).verify(signed("te"));
    await expectRefusal(receiver(schemes.paymongo).verify(signed("te")), "signature_missing");
    await expectRefusal(receiver(schemes.paymongo, { mode: "test" }).verify(signed("li")), "signature_missing");
  });

  test("grafana signs the body alone where no timestamp header was set, and then no time is believed", async () => {
    const body = '{"status":"firing"}';
    const plain = { headers: { "x-grafana-alerting-signature": hex("sha256", secret, body) }, body };
    expect(await receiver(schemes.grafana).verify(plain)).toMatchObject({
      timestamp: undefined,
      covered: ["body", "type"],
    });
    const { verify } = receiver(schemes.grafana, { timestampHeader: "X-Time" });
    await expectRefusal(verify(plain), "header_missing");
    await expectRefusal(verify({ ...plain, headers: { ...plain.headers, "x-time": seconds } }), "signature_mismatch");
  });

  test("nylas answers its challenge", async () => {
    const { handshake } = receiver(schemes.nylas);
    expect(await handshake(get("challenge=c1"))).toMatchObject({ status: 200, body: "c1" });
    expect(await handshake({ ...get("challenge=c1"), method: "POST" })).toBeUndefined();
  });

  test("mollie is read with the prefix and without", async () => {
    const code = hex("sha256", secret, "{}");
    const { verify } = receiver(schemes.mollie);
    for (const signature of [code, `sha256=${code}`])
      await verify({ headers: { "x-mollie-signature": signature }, body: "{}" });
    await expectRefusal(
      verify({ headers: { "x-mollie-signature": `sha1=${code}` }, body: "{}" }),
      "signature_malformed",
    );
  });

  test("dropbox-sign reads its event from a form, from a part, and from the body alone", async () => {
    const vector = vectors["dropbox-sign"];
    const part = String(vector?.request.body);
    const json = part.slice(part.indexOf("{"), part.lastIndexOf("}") + 1);
    for (const body of [part, json, `json=${encodeURIComponent(json)}`])
      expect((await receiver(schemes["dropbox-sign"]).verify({ headers: {}, body })).payload).toEqual(JSON.parse(json));
    for (const body of ["--x", "--x\r\n\r\n", part.replace('name="json"', 'name="other"'), part.replace(/--x--/, "")])
      await expectRefusal(receiver(schemes["dropbox-sign"]).verify({ headers: {}, body }), "body_malformed");
  });

  test("saleor takes no extension but the one it knows", async () => {
    const vector = vectors.saleor;
    if (vector === undefined) throw new TypeError("no vector");
    const { verify } = receiver(schemes.saleor, undefined, vector.keys);
    const [, , signature = ""] = (vector.request.headers["saleor-signature"] ?? "").split(".");
    for (const header of [
      { alg: "RS256", b64: false },
      { alg: "RS256", b64: false, crit: ["b64", "exp"] },
      { alg: "RS256", crit: ["exp"] },
      { alg: "none", b64: false, crit: ["b64"] },
    ]) {
      const text = Buffer.from(JSON.stringify(header)).toString("base64url");
      await expectRefusal(
        verify({ headers: { "saleor-signature": `${text}..${signature}` }, body: vector.request.body }),
        "signature_malformed",
      );
    }
  });

  describe("tokens", () => {
    const google = { audience: "https://hooks.example.com/in", email: "pusher@example.com" };

    test("of another audience, account, issuer or time are refused", async () => {
      const vector = vectors["google-cloud-tasks"];
      if (vector === undefined) throw new TypeError("no vector");
      const { request, keys } = vector;
      const receive = (settings: Settings, at = now) =>
        createVerifier(schemes["google-cloud-tasks"], { keys, now: () => at, settings }).verify(request);
      await receive(google);
      await expectRefusal(receive({ ...google, audience: "https://hooks.example.com/other" }), "claim_mismatch");
      await expectRefusal(receive({ ...google, email: "other@example.com" }), "claim_mismatch");
      await expectRefusal(receive(google, now + 3_661_000), "timestamp_too_old");
      await expectRefusal(receive(google, now - 61_000), "timestamp_too_new");
      await expectRefusal(
        createVerifier(schemes["google-chat"], {
          keys,
          now: () => now,
          settings: { audience: google.audience },
        }).verify(request),
        "claim_mismatch",
      );
      await expectRefusal(
        createVerifier(schemes.oidc, {
          keys,
          now: () => now,
          settings: { ...google, issuer: "https://login.example.com" },
        }).verify(request),
        "claim_mismatch",
      );
    });

    test("hold the digest of every body that has one", async () => {
      const { headers } = await signRequest(schemes.vonage, { keys: secret, body: "{}", timestamp: now });
      const { verify } = receiver(schemes.vonage);
      await verify({ headers, body: "{}" });
      await expectRefusal(verify({ headers, body: "" }), "digest_mismatch");
      // Without the digest, nothing proves who sent a body.
      const netlify = await signRequest(schemes.monday, { keys: secret, body: "{}", timestamp: now });
      await expectRefusal(
        receiver(schemes.vonage).verify({
          headers: { authorization: `Bearer ${netlify.headers.authorization ?? ""}` },
          body: "{}",
        }),
        "digest_mismatch",
      );
    });
  });

  test("monday answers its challenge, but no event that holds one", async () => {
    const { handshake } = receiver(schemes.monday);
    const post = (body: string) => ({ method: "POST", url, headers: {}, body });
    expect(await handshake(post('{"challenge":"c1"}'))).toMatchObject({ status: 200, body: '{"challenge":"c1"}' });
    expect(await handshake(post('{"challenge":"c1","event":{}}'))).toBeUndefined();
  });

  describe("hmac", () => {
    test("signs and verifies as it is told", async () => {
      const scheme = hmac({
        header: "X-Acme-Signature",
        encoding: base64,
        prefix: "v2=",
        hash: "sha512",
        content: "{timestamp}.{body}",
        timestampHeader: "X-Acme-Time",
        type: "body:event",
      });
      const body = '{"event":"made"}';
      const code = createHmac("sha512", secret).update(`${seconds}.${body}`).digest("base64");
      const request = { headers: { "x-acme-signature": `v2=${code}`, "x-acme-time": seconds }, body: bytes(body) };
      const delivery = await receiver(scheme).verify(request);
      expect(delivery).toMatchObject({ scheme: "hmac", type: "made", timestamp: now });
      expect(delivery.covered).toEqual(["timestamp", "body", "type"]);
      expect((await signRequest(scheme, { keys: secret, body, timestamp: now })).headers).toEqual(request.headers);
      await expectRefusal(
        createVerifier(scheme, { keys: secret, now: () => now + 301_000 }).verify(request),
        "timestamp_too_old",
      );
    });

    test("is SHA-256 in hex over the body by default", async () => {
      const { verify } = receiver(hmac({ header: "X-Acme-Signature" }));
      const { covered } = await verify({ headers: { "x-acme-signature": hex("sha256", secret, "{}") }, body: "{}" });
      expect(covered).toEqual(["body"]);
    });

    test("refuses content with a part it does not know, when it is made", () => {
      expect(() => hmac({ header: "X-Acme-Signature", content: "{nonce}.{body}" })).toThrow("{nonce}");
    });
  });
};
