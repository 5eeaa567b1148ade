import { createPublicKey, generateKeyPairSync } from "node:crypto";
import { describe, expect, test } from "vitest";
import { schemes } from "../../src/all-schemes.ts";
import { createVerifier, signRequest } from "../../src/index.ts";
import { expectRefusal, now } from "../support.ts";
import { adyenHmac, adyenItem, adyenKey } from "../vectors/in-body.ts";
import { vectors } from "../vectors/index.ts";
import { ed25519, p256, pem, rsa } from "../vectors/vector.ts";

const pair = ed25519(7);

export const batchesAndMessages = (): void => {
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
      expect(delivery.repeat.by).toBe("body");
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
      expect(delivery.repeat.by).toBe("body");
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
