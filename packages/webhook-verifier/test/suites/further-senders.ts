import { createCipheriv, createHash, createSign } from "node:crypto";
import { describe, expect, test } from "vitest";
import { schemes } from "../../src/all-schemes.ts";
import { createVerifier, type Keys, type Scheme, signRequest } from "../../src/index.ts";
import { decryptLarkEvent } from "../../src/schemes/lark.ts";
import { decryptWechatPayResource } from "../../src/schemes/wechat-pay.ts";
import { extend } from "../length-extension.ts";
import { expectRefusal, now } from "../support.ts";
import { base64, hex, hmac, millis, pem, rsa } from "../vectors/vector.ts";

const secret = "a secret that only the two know";
const verifierOf = (scheme: Scheme, keys: Keys = secret) => createVerifier(scheme, { keys, now: () => now });

/** What some senders do that the matrix does not try. */
export const furtherSenders = (): void => {
  test("fastspring: a delivery holds many events, each with its own key", async () => {
    const body = '{"events":[{"id":"f1","type":"order.completed"},{"id":"f2","type":"order.failed"}]}';
    const request = await signRequest(schemes.fastspring, { keys: secret, body });
    const { items } = await verifierOf(schemes.fastspring).verify(request);
    expect(items).toMatchObject([
      { id: "f1", type: "order.completed", dedupeKey: "f1" },
      { id: "f2", type: "order.failed", dedupeKey: "f2" },
    ]);
    const other = await signRequest(schemes.fastspring, { keys: secret, body: "[]" });
    expect((await verifierOf(schemes.fastspring).verify(other)).items).toBeUndefined();
  });

  test("hookdeck, aftership and fourthwall: the second header alone is enough", async () => {
    for (const [name, header] of [
      ["hookdeck", "x-hookdeck-signature-2"],
      ["aftership", "as-signature-hmac-sha256"],
      ["fourthwall", "x-fourthwall-hmac-apps-sha256"],
    ] as const) {
      const request = { headers: { [header]: base64("sha256", secret, "{}") }, body: "{}" };
      expect((await verifierOf(schemes[name]).verify(request)).scheme).toBe(name);
      await expectRefusal(verifierOf(schemes[name]).verify({ ...request, body: "[]" }), "signature_mismatch");
    }
  });

  describe("ids that are too long for a double", () => {
    const idOf = async (scheme: Scheme, body: string) =>
      (await verifierOf(scheme).verify(await signRequest(scheme, { keys: secret, body, timestamp: now }))).id;

    test("stay exact, also where they end an object", async () => {
      for (const id of ["9973000000138072", "9973000000138073", "4912661846655238145"]) {
        expect(await idOf(schemes["zoho-payments"], `{"event_type":"a","event_id" : ${id}}`)).toBe(id);
        expect(await idOf(schemes.viber, `{"event":"seen","message_token":${id},"user_id":"u1"}`)).toBe(id);
      }
    });

    test("are left alone inside texts, in other members and as texts", async () => {
      const scheme = schemes["zoho-payments"];
      const body = String.raw`{"a":"\"event_id\":9973000000138072,","b":9973000000138072,"event_id":"e1"}`;
      const request = await signRequest(scheme, { keys: secret, body, timestamp: now });
      expect(await verifierOf(scheme).verify(request)).toMatchObject({ id: "e1", payload: JSON.parse(body) });
    });
  });

  test("viber: what happens to a message is an event of its own, for every user of a broadcast", async () => {
    const keyOf = async (body: string) =>
      (await verifierOf(schemes.viber).verify(await signRequest(schemes.viber, { keys: secret, body }))).dedupeKey;
    const event = (name: string, user: string) =>
      keyOf(`{"event":"${name}","message_token":4912661846655238145${user && `,"user_id":"${user}"`}}`);
    expect(await Promise.all([event("message", ""), event("seen", "u1"), event("seen", "u2")])).toEqual([
      "message.4912661846655238145",
      "seen.4912661846655238145.u1",
      "seen.4912661846655238145.u2",
    ]);
    // Without a token, the event alone names nothing.
    expect(await keyOf('{"event":"seen"}')).toMatch(/^2:body:/);
  });

  test("front: answers the challenge only with a right signature", async () => {
    const body = '{"type":"sync","authorization":{"id":"cmp_1"}}';
    const headers = {
      "x-front-signature": base64("sha256", secret, `${millis}:`, body),
      "x-front-request-timestamp": millis,
      "x-front-challenge": "c-1",
    };
    const answer = await verifierOf(schemes.front).handshake({ headers, body });
    expect(answer).toMatchObject({ status: 200, body: '{"challenge":"c-1"}' });
    await expectRefusal(
      verifierOf(schemes.front).handshake({ headers, body: body.replace("cmp_1", "cmp_2") }),
      "signature_mismatch",
    );
  });

  test("nango: the older plain hash is not read", async () => {
    await expectRefusal(
      verifierOf(schemes.nango).verify({ headers: { "x-nango-signature": hex("sha256", secret, "{}") }, body: "{}" }),
      "header_missing",
    );
  });

  test("bridge: signs what it hashes twice", async () => {
    const body = '{"event_id":"b1","event_type":"customer.updated"}';
    const request = await signRequest(schemes.bridge, { keys: pem(rsa.privateKey), body, timestamp: now });
    const { verify } = verifierOf(schemes.bridge, pem(rsa.publicKey));
    expect(await verify(request)).toMatchObject({ id: "b1", type: "customer.updated", timestamp: now });
    const once = createSign("sha256").update(`${millis}.${body}`).sign(rsa.privateKey, "base64");
    await expectRefusal(
      verify({ headers: { "x-webhook-signature": `t=${millis},v0=${once}` }, body }),
      "signature_mismatch",
    );
  });

  describe("several signatures", () => {
    const wrong = "0".repeat(64);

    test("of orb, recurly and worldpay: one that is right is enough, and none is not", async () => {
      const orbTime = new Date(now).toISOString().slice(0, -1);
      const right = (content: string) => hmac("sha256", secret, content).toString("hex");
      const requests = {
        orb: (good: string) => ({
          "x-orb-timestamp": orbTime,
          "x-orb-signature": `v2=${good} v1=${wrong} v1=${good}`,
        }),
        recurly: (good: string) => ({ "recurly-signature": `${millis},${wrong},${good}` }),
        worldpay: (good: string) => ({ "event-signature": `1/SHA256/${wrong},2/SHA256/${good}` }),
      };
      const contents = { orb: `v1:${orbTime}:{}`, recurly: `${millis}.{}`, worldpay: "{}" };
      for (const name of ["orb", "recurly", "worldpay"] as const) {
        const { verify } = verifierOf(schemes[name]);
        await verify({ headers: requests[name](right(contents[name])), body: "{}" });
        await expectRefusal(
          verify({ headers: requests[name](right(`${contents[name]} `)), body: "{}" }),
          "signature_mismatch",
        );
      }
    });

    test("of another hash function or version are not read", async () => {
      const good = hex("sha256", secret, "{}");
      await expectRefusal(
        verifierOf(schemes.worldpay).verify({ headers: { "event-signature": `1/MD5/${good}` }, body: "{}" }),
        "signature_missing",
      );
    });

    test("are signed by every key that is given", async () => {
      const other = "another secret of the same kind";
      for (const scheme of [schemes.recurly, schemes.worldpay, schemes.orb]) {
        const request = await signRequest(scheme, { keys: [other, secret], body: "{}", timestamp: now });
        for (const key of [other, secret]) await verifierOf(scheme, key).verify(request);
      }
    });
  });

  test("metronome and orb: a date in another form is refused", async () => {
    for (const [scheme, header, dates] of [
      [
        schemes.metronome,
        "x-metronome-date",
        ["2026-11-21T12:00:00Z", "Sat, 21 Nov 2026 12:00:00", "Sat, 41 Nov 2026 12:00:00 GMT", "Sat Nov 21 2026", "1"],
      ],
      [schemes.orb, "x-orb-timestamp", ["2026-11-21T12:00:00Z", "2026-11-21T12:00:00+02:00", "2026-11-21", "1"]],
    ] as const) {
      const request = await signRequest(scheme, { keys: secret, body: "{}", timestamp: now });
      await verifierOf(scheme).verify(request);
      for (const date of dates)
        await expectRefusal(
          verifierOf(scheme).verify({ ...request, headers: { ...request.headers, [header]: date } }),
          "timestamp_malformed",
        );
    }
  });

  test("cloudinary and sumsub: the algorithm is that of the key, and never of the message", async () => {
    const digest = createHash("sha256")
      .update(`{}${now / 1000}${secret}`)
      .digest("hex");
    const cloudinary = { headers: { "x-cld-signature": digest, "x-cld-timestamp": String(now / 1000) }, body: "{}" };
    await verifierOf(schemes.cloudinary, { key: secret, algorithm: "sha256-suffix" }).verify(cloudinary);
    await expectRefusal(verifierOf(schemes.cloudinary).verify(cloudinary), "signature_mismatch");
    const sumsub = {
      headers: { "x-payload-digest": hex("sha512", secret, "{}"), "x-payload-digest-alg": "HMAC_SHA512_HEX" },
      body: "{}",
    };
    await verifierOf(schemes.sumsub, { key: secret, algorithm: "hmac-sha512" }).verify(sumsub);
    await expectRefusal(verifierOf(schemes.sumsub).verify(sumsub), "signature_mismatch");
  });

  describe("qstash", () => {
    const url = "https://hooks.example.com/in";
    const ask = (settings: Record<string, string>, at = now) =>
      createVerifier(schemes.qstash, { keys: secret, now: () => at, settings });
    const request = () =>
      signRequest(schemes.qstash, { keys: secret, body: "{}", id: "m1", timestamp: now, settings: { url } });

    test("is signed with its id", async () => {
      expect((await ask({}).verify(await request())).id).toBe("m1");
    });

    test("compares the URL if the setting gives one", async () => {
      expect((await ask({}).verify(await request())).scheme).toBe("qstash");
      await ask({ url }).verify(await request());
      await expectRefusal(ask({ url: `${url}/other` }).verify(await request()), "claim_mismatch");
    });

    test("refuses a token after its end, and one of another body", async () => {
      await expectRefusal(ask({}, now + 361_000).verify(await request()), "timestamp_too_old");
      await expectRefusal(ask({}).verify({ ...(await request()), body: "[]" }), "digest_mismatch");
    });
  });

  test("adobe-commerce: the answer says that the action may go on", () => {
    expect(JSON.parse(schemes["adobe-commerce"].answer?.body ?? "")).toEqual([{ op: "success" }]);
  });

  test("wechat-pay: a signature that is wrong on purpose is refused", async () => {
    const key = { key: pem(rsa.publicKey), id: "PUB_KEY_ID_1" };
    const request = await signRequest(schemes["wechat-pay"], {
      keys: { key: pem(rsa.privateKey), id: "PUB_KEY_ID_1" },
      headers: { "wechatpay-nonce": "n1" },
      body: "{}",
      timestamp: now,
    });
    await verifierOf(schemes["wechat-pay"], key).verify(request);
    await expectRefusal(
      verifierOf(schemes["wechat-pay"], key).verify({
        ...request,
        headers: { ...request.headers, "wechatpay-signature": "WECHATPAY/SIGNTEST/abc=" },
      }),
      "signature_malformed",
    );
  });

  test("wechat-pay: the resource is decrypted with the right key, and not when it was changed", async () => {
    const [apiKey, nonce, associated] = ["0123456789abcdef0123456789abcdef", "fdasfjihihih", "transaction"];
    const cipher = createCipheriv("aes-256-gcm", apiKey, nonce).setAAD(Buffer.from(associated));
    const ciphertext = Buffer.concat([cipher.update('{"amount":1}'), cipher.final(), cipher.getAuthTag()]);
    const resource = { ciphertext: ciphertext.toString("base64"), nonce, associated_data: associated };
    expect(await decryptWechatPayResource(resource, apiKey)).toEqual({ amount: 1 });
    for (const [changed, key] of [
      [resource, apiKey.replace("0", "1")],
      [resource, "short"],
      [{ ...resource, associated_data: "refund" }, apiKey],
      [{ ...resource, ciphertext: "AAAA" }, apiKey],
      [{}, apiKey],
      [undefined, apiKey],
    ] as const)
      await expectRefusal(decryptWechatPayResource(changed, key), "body_malformed");
  });

  describe("lark", () => {
    const encrypted = (content: string, key = secret): string => {
      const cipher = createCipheriv("aes-256-cbc", createHash("sha256").update(key).digest(), Buffer.alloc(16, 7));
      const bytes = Buffer.concat([Buffer.alloc(16, 7), cipher.update(content), cipher.final()]);
      return JSON.stringify({ encrypt: bytes.toString("base64") });
    };
    const challenge = '{"challenge":"c-1","token":"t-1","type":"url_verification"}';
    const shake = (body: string, token = "t-1") =>
      createVerifier(schemes.lark, { keys: secret, now: () => now, settings: { verificationToken: token } }).handshake({
        method: "POST",
        headers: {},
        body,
      });

    test("answers the challenge, plain and encrypted, only for the right token", async () => {
      for (const body of [challenge, encrypted(challenge)]) {
        expect(await shake(body)).toMatchObject({ status: 200, body: '{"challenge":"c-1"}' });
        expect(await shake(body, "t-2")).toBeUndefined();
        expect(await verifierOf(schemes.lark).handshake({ method: "POST", headers: {}, body })).toBeUndefined();
      }
      for (const body of [encrypted(challenge, "another key"), encrypted("no JSON"), '{"encrypt":"AA=="}', "{}", "x"])
        expect(await shake(body)).toBeUndefined();
    });

    test("decrypts the event of a delivery", async () => {
      const body = encrypted('{"header":{"event_id":"l1"}}');
      const request = await signRequest(schemes.lark, {
        keys: secret,
        headers: { "x-lark-request-nonce": "n1" },
        body,
        timestamp: now,
      });
      const { id, payload, dedupeKey } = await verifierOf(schemes.lark).verify(request);
      expect([id, dedupeKey]).toEqual([undefined, undefined]);
      expect(await decryptLarkEvent(payload, secret)).toEqual({ header: { event_id: "l1" } });
      for (const [what, key] of [
        [payload, "another key"],
        [{}, secret],
        [{ encrypt: "!" }, secret],
      ] as const)
        await expectRefusal(decryptLarkEvent(what, key), "body_malformed");
    });

    test("digits that move between time and nonce are refused, and so is a body that was made longer", async () => {
      const time = String(now / 1000);
      const digest = createHash("sha256").update(`${time}12${secret}{}`).digest("hex");
      const headers = { "x-lark-signature": digest, "x-lark-request-timestamp": time, "x-lark-request-nonce": "12" };
      const { verify } = verifierOf(schemes.lark);
      await verify({ headers, body: "{}" });
      await expectRefusal(
        verify({
          headers: { ...headers, "x-lark-request-timestamp": `${time}1`, "x-lark-request-nonce": "2" },
          body: "{}",
        }),
        "timestamp_malformed",
      );
      const forged = extend(digest, `${time}12${secret}{}`.length, " ");
      await expectRefusal(
        verify({
          headers: { ...headers, "x-lark-signature": forged.digest },
          body: Buffer.concat([Buffer.from("{}"), forged.added]),
        }),
        "body_malformed",
      );
    });

    test("events of the older form have their id and type elsewhere", async () => {
      const body = '{"uuid":"u1","type":"event_callback","event":{"type":"app_open"}}';
      // Without a nonce, the id stands in for it.
      const request = await signRequest(schemes.lark, { keys: secret, body, timestamp: now });
      expect(await verifierOf(schemes.lark).verify(request)).toMatchObject({ id: "u1", type: "app_open" });
    });
  });
};
