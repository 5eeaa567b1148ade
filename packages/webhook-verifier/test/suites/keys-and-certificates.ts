import { generateKeyPairSync } from "node:crypto";
import { describe, expect, test } from "vitest";
import { schemes } from "../../src/all-schemes.ts";
import { createVerifier, type Fetch, jwks, keyLookup, type publicKey, signRequest } from "../../src/index.ts";
import { snsCertificates } from "../../src/schemes/aws-sns.ts";
import { readGithubKeys } from "../../src/schemes/github-secret-scanning.ts";
import { paypalCertificates } from "../../src/schemes/paypal.ts";
import { certificate, certificatePem } from "../certificates.ts";
import { expectRefusal, now } from "../support.ts";
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

export const keysAndCertificates = (): void => {
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
};
