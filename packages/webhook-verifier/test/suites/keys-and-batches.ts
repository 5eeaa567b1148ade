import { createPublicKey, generateKeyPairSync } from "node:crypto";
import { describe, expect, test } from "vitest";
import { createVerifier, type Fetch, jwks, keyLookup, type publicKey, schemes, signRequest } from "../../src/index.ts";
import { snsCertificates } from "../../src/schemes/aws-sns.ts";
import { readGithubKeys } from "../../src/schemes/github-secret-scanning.ts";
import { paypalCertificates } from "../../src/schemes/paypal.ts";
import { certificate, certificatePem } from "../certificates.ts";
import { expectRefusal, now } from "../support.ts";
import { adyenHmac, adyenItem, adyenKey } from "../vectors/in-body.ts";
import { vectors } from "../vectors/index.ts";
import { apple } from "../vectors/public-key.ts";
import { ed25519, otherP256, otherRsa, p256, pem, rsa, spki64 } from "../vectors/vector.ts";

const pair = ed25519(7);
const day = 86_400_000;

/** A sender's server: answers by URL, counts, and can be down. */
const server = (pages: Record<string, string>) => {
  const state = { calls: 0, down: false };
  const fetch: Fetch = async (url, init) => {
    state.calls++;
    expect(init.redirect).toBe("error");
    if (state.down) throw new TypeError("connection refused");
    const text = pages[url];
    return { status: text === undefined ? 404 : 200, headers: { get: () => null }, text: async () => text ?? "" };
  };
  return { state, fetch };
};

const turnkeyUrl = "https://api.turnkey.com/public/v1/discovery/webhooks/jwks";
const jwk = (raw: Buffer, kid: string) => ({
  kty: "OKP",
  crv: "Ed25519",
  x: raw.toString("base64url"),
  kid,
  use: "sig",
});
const turnkeyMessage = (kid: string, timestamp = now) =>
  signRequest(schemes.turnkey, { keys: { key: pair.seed, id: kid }, body: "{}", id: "e1", timestamp });

export const keysAndBatches = (): void => {
  describe("public keys", () => {
    const ec = p256.publicKey;
    const forms: Record<string, Parameters<ReturnType<typeof publicKey>["verifying"]>[0]> = {
      PEM: pem(ec),
      "PEM with written line breaks": pem(ec).replaceAll("\n", "\\n"),
      "SPKI in base64": spki64(ec),
      "SPKI in hex": ec.export({ format: "der", type: "spki" }).toString("hex"),
      "SPKI in bytes": ec.export({ format: "der", type: "spki" }),
      JWK: ec.export({ format: "jwk" }) as { kty: string },
      "X.509 as PEM": certificatePem(apple.leaf),
      "X.509 in base64": apple.leaf.toString("base64"),
    };
    for (const [form, key] of Object.entries(forms))
      test(`are read as ${form}`, async () => {
        const request = await signRequest(schemes.sendgrid, { keys: pem(p256.privateKey), body: "[]", timestamp: now });
        await createVerifier(schemes.sendgrid, { keys: key, now: () => now }).verify(request);
      });

    test("are read for RSA as PKCS #1 PEM, and private ones as JWK", async () => {
      const request = await signRequest(schemes.wise, {
        keys: rsa.privateKey.export({ format: "jwk" }) as { kty: string },
        body: "{}",
      });
      await createVerifier(schemes.wise, {
        keys: rsa.publicKey.export({ format: "pem", type: "pkcs1" }).toString(),
      }).verify(request);
    });

    test("are refused when the verifier is built if they are of another kind, weak, private or nonsense", () => {
      const weak = generateKeyPairSync("rsa", { modulusLength: 1024 }).publicKey;
      const wrong = {
        wise: [pem(p256.publicKey), pem(weak), pem(rsa.privateKey), "", "nonsense!", "AAAA"],
        sendgrid: [pem(rsa.publicKey), pem(pair.publicKey)],
        discord: ["00", pem(rsa.publicKey), "z".repeat(64), { kty: "RSA", n: "AQAB", e: "AQAB" }],
      } as const;
      for (const [name, keys] of Object.entries(wrong))
        for (const key of keys)
          expect(() => createVerifier(schemes[name as keyof typeof wrong], { keys: key })).toThrow(
            expect.objectContaining({ name: "WebhookConfigError" }),
          );
    });
  });

  describe("jwks", () => {
    const pages = { [turnkeyUrl]: JSON.stringify({ keys: [jwk(pair.raw, "k1"), { kty: "RSA", n: "x", kid: "k2" }] }) };

    test("fetches once for any number of deliveries and keeps the keys", async () => {
      const { state, fetch } = server(pages);
      const verifier = createVerifier(schemes.turnkey, { keys: jwks(turnkeyUrl, { fetch }), now: () => now });
      const request = await turnkeyMessage("k1");
      await Promise.all(Array.from({ length: 20 }, () => verifier.verify(request)));
      expect((await verifier.verify(request)).keyId).toBe("k1");
      expect(state.calls).toBe(1);
    });

    test("asks again for an unknown key id, but not more than once a minute", async () => {
      const { state, fetch } = server(pages);
      let at = now;
      const verifier = createVerifier(schemes.turnkey, {
        keys: jwks(turnkeyUrl, { fetch }),
        now: () => at,
        toleranceSeconds: Number.POSITIVE_INFINITY,
      });
      await verifier.verify(await turnkeyMessage("k1"));
      for (let index = 0; index < 5; index++)
        await expectRefusal(verifier.verify(await turnkeyMessage("k9")), "key_unavailable");
      expect(state.calls).toBe(1);
      at += 61_000;
      for (let index = 0; index < 5; index++)
        await expectRefusal(verifier.verify(await turnkeyMessage("k9")), "key_unknown");
      expect(state.calls).toBe(2);
      // This fetch was not made for k8, which may have been published since.
      await expectRefusal(verifier.verify(await turnkeyMessage("k8")), "key_unavailable");
      expect((await verifier.verify(await turnkeyMessage("k1"))).keyId).toBe("k1");
    });

    test("uses old keys while the sender is down, for a day, and then says so", async () => {
      const { state, fetch } = server(pages);
      let at = now;
      const verifier = createVerifier(schemes.turnkey, {
        keys: jwks(turnkeyUrl, { fetch }),
        now: () => at,
        toleranceSeconds: Number.POSITIVE_INFINITY,
      });
      const request = await turnkeyMessage("k1");
      await verifier.verify(request);
      state.down = true;
      at += 2 * 3_600_000;
      await verifier.verify(request);
      expect(state.calls).toBe(2);
      at += 25 * 3_600_000;
      await expectRefusal(verifier.verify(request), "key_unavailable");
    });

    test("says that keys cannot be had, and nothing about the delivery, when the first fetch fails", async () => {
      for (const page of [undefined, "not json", "{}", "x".repeat(70_000)]) {
        const { fetch } = server(page === undefined ? {} : { [turnkeyUrl]: page });
        const verifier = createVerifier(schemes.turnkey, { keys: jwks(turnkeyUrl, { fetch }), now: () => now });
        await expectRefusal(verifier.verify(await turnkeyMessage("k1")), "key_unavailable");
      }
    });

    test("refuses addresses that are not https on an allowed host", () => {
      for (const url of [
        "http://keys.example.com/",
        "https://127.0.0.1/",
        "https://[::1]/",
        "https://localhost/",
        "https://keys.example.com:8443/",
        "https://a:b@keys.example.com/",
        "nonsense",
      ])
        expect(() => jwks(url)).toThrow("https URL");
      expect(() => jwks("https://evil.example.com/", { hosts: ["keys.example.com"] })).toThrow("allowed host");
    });

    test("reads GitHub's list of keys", async () => {
      const url = "https://api.github.com/meta/public_keys/secret_scanning";
      const { fetch } = server({
        [url]: JSON.stringify({ public_keys: [{ key_identifier: "k1", key: pem(p256.publicKey), is_current: true }] }),
      });
      const keys = jwks(url, { fetch, read: readGithubKeys });
      const request = await signRequest(schemes["github-secret-scanning"], {
        keys: { key: pem(p256.privateKey), id: "k1" },
        body: '[{"type":"token"}]',
      });
      const delivery = await createVerifier(schemes["github-secret-scanning"], { keys, now: () => now }).verify(
        request,
      );
      expect(delivery.items).toMatchObject([{ type: "token", dedupeKey: `${delivery.dedupeKey}:0` }]);
    });
  });

  test("keyLookup asks once for each key, and not again and again for ids that nobody has", async () => {
    const asked: string[] = [];
    const keys = keyLookup(async (id) => {
      asked.push(id);
      return id === "k1" ? { key: pem(p256.publicKey) } : undefined;
    });
    const verifier = createVerifier(schemes.plaid, { keys, now: () => now });
    const message = (id: string) =>
      signRequest(schemes.plaid, { keys: { key: pem(p256.privateKey), id }, body: "{}", timestamp: now });
    for (let index = 0; index < 3; index++) expect((await verifier.verify(await message("k1"))).keyId).toBe("k1");
    for (let index = 0; index < 3; index++) await expectRefusal(verifier.verify(await message("k2")), "key_unknown");
    expect(asked).toEqual(["k1", "k2"]);
  });

  describe("certificates", () => {
    const url = "https://api.paypal.com/v1/notifications/certs/CERT";
    const make = (
      wish: { subject?: string; notAfter?: number; authority?: boolean; rootKey?: typeof otherRsa } = {},
    ) => {
      const {
        subject = "messageverificationcerts.paypal.com",
        notAfter = now + day,
        authority = true,
        rootKey = otherRsa,
      } = wish;
      const dates = { notBefore: now - day };
      const root = certificate({
        subject: "Root",
        issuer: "Root",
        subjectKey: otherRsa.publicKey,
        issuerKey: otherRsa.privateKey,
        notAfter: now + day,
        authority,
        ...dates,
      });
      const leaf = certificate({
        subject,
        issuer: "Root",
        subjectKey: rsa.publicKey,
        issuerKey: rootKey.privateKey,
        notAfter,
        ...dates,
      });
      return { root: certificatePem(root), leaf: certificatePem(leaf) };
    };
    const attempt = async (made: { root: string; leaf: string }, options: { roots?: string[]; at?: string } = {}) => {
      const { fetch } = server({ [url]: made.leaf });
      const settings = { webhookId: "WH" };
      const request = await signRequest(schemes.paypal, {
        keys: { key: pem(rsa.privateKey), id: options.at ?? url },
        settings,
        body: "{}",
        id: "t1",
        timestamp: now,
      });
      const keys = paypalCertificates({ fetch, ...(options.roots !== undefined && { roots: options.roots }) });
      return createVerifier(schemes.paypal, { keys, settings, now: () => now }).verify(request);
    };

    test("are taken from the sender's host when they are valid and carry its name", async () => {
      const made = make();
      await attempt(made);
      await attempt(made, { roots: [made.root] });
    });

    test("are refused from elsewhere before anything is fetched", async () => {
      for (const at of [
        "https://api.paypal.com.evil.example/c",
        "http://api.paypal.com/c",
        "https://api.paypal.com:444/c",
        "https://api.paypal.com@evil.example/c",
        "nonsense",
      ])
        await expectRefusal(attempt(make(), { at }), "key_url_refused");
    });

    test("are refused when expired, of another name, under another root, or issued by one that may not", async () => {
      const good = make();
      await expectRefusal(attempt(make({ notAfter: now - 1000 })), "certificate_invalid");
      await expectRefusal(attempt(make({ subject: "evil.example" })), "certificate_invalid");
      await expectRefusal(attempt(make({ rootKey: rsa }), { roots: [good.root] }), "certificate_invalid");
      await expectRefusal(attempt(good, { roots: [make({ authority: false }).root] }), "certificate_invalid");
    });

    test("serve both signature versions of SNS and only the topics on the list", async () => {
      const snsUrl = "https://sns.us-east-1.amazonaws.com/SimpleNotificationService.pem";
      const { fetch, state } = server({ [snsUrl]: make({ subject: "sns.amazonaws.com" }).leaf });
      const topic = "arn:aws:sns:us-east-1:1:t";
      const verifier = createVerifier(schemes["aws-sns"], {
        keys: snsCertificates({ fetch }),
        settings: { topics: [topic] },
        now: () => now,
      });
      for (const algorithm of ["rsa-sha1", "rsa-sha256"] as const)
        for (const arn of [topic, "arn:aws:sns:us-east-1:1:u"]) {
          const request = await signRequest(schemes["aws-sns"], {
            keys: { key: pem(rsa.privateKey), algorithm, id: snsUrl },
            settings: { topics: [topic] },
            body: JSON.stringify({ TopicArn: arn, Message: "m" }),
            timestamp: now,
          });
          if (arn === topic) await verifier.verify(request);
          else await expectRefusal(verifier.verify(request), "claim_mismatch");
        }
      expect(state.calls).toBe(1);
    });

    test("of Apple are refused without Apple's marks, expired, or under another root", async () => {
      const signed = (leaf: Buffer, issuer: Buffer) =>
        signRequest(schemes["apple-app-store"], {
          keys: pem(p256.privateKey),
          body: apple.notification,
          settings: { chain: [leaf, issuer].map((bytes) => bytes.toString("base64")) },
        });
      const attemptAt = async (leaf: Buffer, issuer: Buffer, at = now) =>
        createVerifier(schemes["apple-app-store"], { keys: apple.root, now: () => at }).verify(
          await signed(leaf, issuer),
        );
      await attemptAt(apple.leaf, apple.issuer);
      await expectRefusal(attemptAt(apple.leaf, apple.issuer, now + 9 * day), "certificate_invalid");
      const unmarked = certificate({
        subject: "Leaf",
        issuer: "Issuer",
        subjectKey: p256.publicKey,
        issuerKey: p256.privateKey,
        notBefore: now - day,
        notAfter: now + day,
      });
      await expectRefusal(attemptAt(unmarked, apple.issuer), "certificate_invalid");
      const foreign = certificate({
        subject: "Leaf",
        issuer: "Issuer",
        subjectKey: p256.publicKey,
        issuerKey: otherP256.privateKey,
        notBefore: now - day,
        notAfter: now + day,
        marks: ["2a864886f76364060b01"],
      });
      await expectRefusal(attemptAt(foreign, apple.issuer), "certificate_invalid");
    });
  });

  describe("batches", () => {
    test("of SendGrid and HubSpot give an item with its own key for every event", async () => {
      const sendgrid = await createVerifier(schemes.sendgrid, {
        keys: vectors.sendgrid?.keys ?? "",
        now: () => vectors.sendgrid?.now ?? now,
      }).verify(vectors.sendgrid?.request ?? { headers: {} });
      expect(sendgrid.items).toMatchObject([
        { type: "dropped", dedupeKey: "ZHJvcC0xMDk5NDkxOS1MUnpYbF9OSFN0T0doUTRrb2ZTbV9BLTA" },
      ]);
      const hubspot = await createVerifier(schemes["hubspot-v1"], { keys: vectors["hubspot-v1"]?.keys ?? "" }).verify(
        vectors["hubspot-v1"]?.request ?? { headers: {} },
      );
      expect(hubspot.items).toMatchObject([{ type: "contact.creation", id: "1:12345:62515:123:1564113600000" }]);
    });

    test("of Adyen verify every item and key each by what is signed", async () => {
      const second = { ...adyenItem, eventCode: "CAPTURE" };
      const items = [adyenItem, second].map((item) => ({
        NotificationRequestItem: { ...item, additionalData: { hmacSignature: adyenHmac(item) } },
      }));
      const delivery = await createVerifier(schemes.adyen, { keys: adyenKey }).verify({
        headers: {},
        body: JSON.stringify({ notificationItems: items }),
      });
      expect(delivery.items?.map(({ dedupeKey }) => dedupeKey)).toEqual([
        "7914073381342284:AUTHORISATION:true",
        "7914073381342284:CAPTURE:true",
      ]);
      expect(delivery.id).toBeUndefined();
      expect(delivery.dedupeKey).toMatch(/^[0-9a-f]{64}$/);
    });

    test("of Meta, Graph, Xero and Klaviyo give an item for every change", async () => {
      const secret = "a secret of 19 bytes";
      const take = async (name: "meta" | "xero" | "microsoft-graph" | "klaviyo", body: unknown) =>
        createVerifier(schemes[name], { keys: secret }).verify(
          await signRequest(schemes[name], { keys: secret, body: JSON.stringify(body) }),
        );
      const meta = await take("meta", {
        object: "whatsapp_business_account",
        entry: [
          {
            changes: [
              { field: "messages", value: { messages: [{ id: "wamid.1" }] } },
              { field: "feed", value: { post_id: "p" } },
            ],
          },
        ],
      });
      expect(meta.items?.map(({ dedupeKey }) => dedupeKey)).toEqual(["wamid.1", `${meta.dedupeKey}:1`]);
      const graph = await take("microsoft-graph", {
        value: [
          { id: "n1", changeType: "created" },
          { id: "n2", changeType: "updated" },
        ],
      });
      expect(graph.items).toMatchObject([
        { id: "n1", type: "created", dedupeKey: "n1" },
        { id: "n2", dedupeKey: "n2" },
      ]);
      const xero = await take("xero", { events: [{ eventCategory: "INVOICE", eventType: "CREATE" }] });
      expect(xero.items).toMatchObject([{ type: "INVOICE.CREATE", dedupeKey: `${xero.dedupeKey}:0` }]);
      const klaviyo = await take("klaviyo", {
        meta: { timestamp: new Date().toISOString() },
        data: [{ external_id: "k1", topic: "event:klaviyo.opened_email" }, { topic: "event:klaviyo.sent_sms" }],
      });
      expect(klaviyo.items).toMatchObject([
        { id: "k1", type: "event:klaviyo.opened_email", dedupeKey: "k1" },
        { type: "event:klaviyo.sent_sms", dedupeKey: `${klaviyo.dedupeKey}:1` },
      ]);
    });
  });

  describe("RFC 9421", () => {
    // Appendix B of the RFC: the message, the keys, and two of its signatures.
    const message = {
      method: "POST",
      url: "https://example.com/foo?param=Value&Pet=dog",
      body: '{"hello": "world"}',
    };
    const headers = {
      date: "Tue, 20 Apr 2021 02:07:55 GMT",
      "content-type": "application/json",
      "content-digest":
        "sha-512=:WZDPaVn/7XgHaAy8pmojAkGWoRx2UFChF41A2svX+TaPm+AbwAgBWnrIiYllu7BNNyealdVLvRwEmTHWXvJwew==:",
      "content-length": "18",
    };
    const at = 1618884473000;
    const receive = (
      keys: Parameters<typeof createVerifier>[1]["keys"],
      input: string,
      signature: string,
      components: string[],
    ) =>
      createVerifier(schemes.rfc9421, { keys, now: () => at, settings: { components } }).verify({
        ...message,
        headers: { ...headers, "signature-input": input, signature },
      });

    test("accepts the Ed25519 signature of B.2.6", async () => {
      const delivery = await receive(
        {
          key: { kty: "OKP", crv: "Ed25519", x: "JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs" },
          id: "test-key-ed25519",
        },
        'sig-b26=("date" "@method" "@path" "@authority" "content-type" "content-length");created=1618884473;keyid="test-key-ed25519"',
        "sig-b26=:wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw==:",
        ["@method", "@path"],
      );
      expect(delivery.covered).not.toContain("body");
      expect(delivery.dedupeKey).toMatch(/^[0-9a-f]{64}$/);
    });

    test("accepts the HMAC of B.2.5", async () => {
      const key = Buffer.from(
        "uzvJfB4u3N0Jy4T7NZ75MDVcr8zSTInedJtkgcu46YW4XByzNJjxBdtjUkdJPBtbmHhIDi6pcl8jsasjlTMtDQ==",
        "base64",
      );
      await receive(
        { key, id: "test-shared-secret", algorithm: "hmac-sha256" },
        'sig-b25=("date" "@authority" "content-type");created=1618884473;keyid="test-shared-secret"',
        "sig-b25=:pxcQw6G3AjtMBQjwo8XzkZf/bws5LelbaMk5rGIGtE8=:",
        ["date"],
      );
    });

    test("accepts the RSA-PSS signature of B.2.2, with a query parameter and the digest of the body", async () => {
      const key = `-----BEGIN PUBLIC KEY-----
MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAr4tmm3r20Wd/PbqvP1s2
+QEtvpuRaV8Yq40gjUR8y2Rjxa6dpG2GXHbPfvMs8ct+Lh1GH45x28Rw3Ry53mm+
oAXjyQ86OnDkZ5N8lYbggD4O3w6M6pAvLkhk95AndTrifbIFPNU8PPMO7OyrFAHq
gDsznjPFmTOtCEcN2Z1FpWgchwuYLPL+Wokqltd11nqqzi+bJ9cvSKADYdUAAN5W
Utzdpiy6LbTgSxP7ociU4Tn0g5I6aDZJ7A8Lzo0KSyZYoA485mqcO0GVAdVw9lq4
aOT9v6d+nb4bnNkQVklLQ3fVAvJm+xdDOp9LCNCN48V2pnDOkFV6+U9nV5oyc6XI
2wIDAQAB
-----END PUBLIC KEY-----`;
      const delivery = await receive(
        { key, id: "test-key-rsa-pss" },
        'sig-b22=("@authority" "content-digest" "@query-param";name="Pet");created=1618884473;keyid="test-key-rsa-pss";tag="header-example"',
        "sig-b22=:LjbtqUbfmvjj5C5kr1Ugj4PmLYvx9wVjZvD9GsTT4F7GrcQEdJzgI9qHxICagShLRiLMlAJjtq6N4CDfKtjvuJyE5qH7KT8UCMkSowOB4+ECxCmT8rtAmj/0PIXxi0A0nxKyB09RNrCQibbUjsLS/2YyFYXEu4TRJQzRw1rLEuEfY17SARYhpTlaqwZVtR8NV7+4UKkjqpcAoFqWFQh62s7Cl+H2fjBSpqfZUJcsIk4N6wiKYd4je2U/lankenQ99PZfB4jY3I5rSV2DSBVkSFsURIjYErOs0tFTQosMTAoxk//0RoKUqiYY8Bh0aaUEb0rQl3/XaVe4bXTugEjHSw==:",
        ["content-digest"],
      );
      expect(delivery.covered).toContain("body");
      expect(delivery.covered).toContain("header:@query-param;name=Pet");
    });

    test("makes and accepts every algorithm, and lets no message change a key's", async () => {
      const p384 = generateKeyPairSync("ec", { namedCurve: "secp384r1" });
      const pairs = {
        "ecdsa-p256-sha256": p256,
        "ecdsa-p384-sha384": p384,
        "rsa-pss-sha512": rsa,
        "rsa-sha256": rsa,
        ed25519: { privateKey: pair.privateKey, publicKey: createPublicKey(pair.privateKey) },
      } as const;
      for (const [name, keys] of Object.entries(pairs)) {
        const algorithm = name as keyof typeof pairs;
        const request = await signRequest(schemes.rfc9421, {
          keys: { key: pem(keys.privateKey), id: "k", algorithm },
          body: "{}",
          url: "https://h.example.com/",
          timestamp: now,
        });
        await createVerifier(schemes.rfc9421, {
          keys: { key: pem(keys.publicKey), id: "k", algorithm },
          now: () => now,
        }).verify(request);
        if (name.startsWith("rsa")) {
          const other = name === "rsa-sha256" ? "rsa-pss-sha512" : "rsa-sha256";
          await expectRefusal(
            createVerifier(schemes.rfc9421, {
              keys: { key: pem(keys.publicKey), id: "k", algorithm: other },
              now: () => now,
            }).verify(request),
            "signature_mismatch",
          );
        }
      }
    });

    test("refuses a signature that covers less than it must, carries no time, or has a wrong digest", async () => {
      const signed = (components?: string[]) =>
        signRequest(schemes.rfc9421, {
          keys: pair.seed,
          body: "{}",
          url: "https://h.example.com/",
          timestamp: now,
          ...(components && { settings: { components } }),
        });
      const verifier = createVerifier(schemes.rfc9421, { keys: pair.raw, now: () => now });
      await expectRefusal(verifier.verify(await signed(["@method"])), "claim_mismatch");
      await expectRefusal(verifier.verify({ ...(await signed()), body: "{} " }), "digest_mismatch");
      const whole = await signed();
      const untimed = {
        ...whole.headers,
        "signature-input": (whole.headers["signature-input"] ?? "").replace(/;created=\d+/, ""),
      };
      await expectRefusal(verifier.verify({ ...whole, headers: untimed }), "timestamp_malformed");
      for (const input of [
        "",
        "sig",
        "sig=",
        "sig=(",
        'sig=("a";',
        'sig=("@method" "@method");created=1',
        'sig=("a";sf);created=1',
        "sig=();created=x",
        "a=();created=1, b=();created=1",
      ])
        await expect(
          verifier.verify({ ...whole, headers: { ...whole.headers, "signature-input": input } }),
        ).rejects.toThrow(expect.objectContaining({ name: "WebhookVerificationError" }));
    });
  });
};
