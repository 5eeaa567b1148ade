import { createPrivateKey, createPublicKey, randomBytes, sign as rawSign } from "node:crypto";
import { sign as octokitSign, verify as octokitVerify } from "@octokit/webhooks-methods";
import { Webhook } from "standardwebhooks";
import Stripe from "stripe";
import { describe, expect, test } from "vitest";
import { createVerifier, type Scheme, sign, signRequest, signResponse, type VerifierOptions } from "../../src/index.ts";
import { github } from "../../src/schemes/github.ts";
import { standardWebhooks } from "../../src/schemes/standard-webhooks.ts";
import { stripe } from "../../src/schemes/stripe.ts";
import { bytes, expectRefusal, now } from "../support.ts";

const clock = { now: () => now };
const seconds = now / 1000;

export const firstSchemes = (): void => {
  describe("stripe", () => {
    const secret = "whsec_a_secret_used_as_text";
    const body = JSON.stringify({ id: "evt_1", object: "event", type: "invoice.paid", data: {} });
    const header = (payload = body, timestamp = seconds, key = secret): string =>
      Stripe.webhooks.generateTestHeaderString({ payload, secret: key, timestamp });

    test("accepts what the stripe package signs and says what was covered", async () => {
      const delivery = await createVerifier(stripe, { keys: secret, ...clock }).verify({
        headers: { "Stripe-Signature": header() },
        body,
      });
      expect(delivery.scheme).toBe("stripe");
      expect(delivery.id).toBe("evt_1");
      expect(delivery.type).toBe("invoice.paid");
      expect(delivery.timestamp).toBe(now);
      expect(delivery.dedupeKey).toBe("evt_1");
      expect(delivery.payload).toEqual(JSON.parse(body));
      expect(delivery.covered).toEqual(["timestamp", "body", "id", "type"]);
    });

    test("signs what the stripe package accepts", async () => {
      const headers = await sign(stripe, { keys: [secret, "whsec_next"], body, timestamp: now });
      const parse = Stripe.webhooks.constructEvent.bind(Stripe.webhooks);
      for (const key of [secret, "whsec_next"])
        expect(parse(body, headers["stripe-signature"] ?? "", key, 300, undefined, now).id).toBe("evt_1");
    });

    test("accepts a web Request and any of several keys", async () => {
      const request = new Request("https://example.com/hook", {
        method: "POST",
        headers: { "stripe-signature": header() },
        body,
      });
      const verifier = createVerifier(stripe, {
        keys: [
          { key: "another secret of 26 bytes", id: "old" },
          { key: secret, id: "new" },
        ],
        ...clock,
      });
      expect((await verifier.verify(request)).keyId).toBe("new");
    });

    test("refuses another key, a changed body and a changed time", async () => {
      const verifier = createVerifier(stripe, { keys: secret, ...clock });
      const headers = { "stripe-signature": header() };
      await expectRefusal(
        createVerifier(stripe, { keys: "another secret of 26 bytes", ...clock }).verify({ headers, body }),
        "signature_mismatch",
      );
      await expectRefusal(verifier.verify({ headers, body: `${body} ` }), "signature_mismatch");
      const moved = { "stripe-signature": header().replace(`t=${seconds}`, `t=${seconds + 1}`) };
      await expectRefusal(verifier.verify({ headers: moved, body }), "signature_mismatch");
    });

    test("refuses what lies outside the window on either side and accepts its edges", async () => {
      const verifier = createVerifier(stripe, { keys: secret, ...clock });
      const at = (timestamp: number) =>
        verifier.verify({ headers: { "stripe-signature": header(body, timestamp) }, body });
      await expectRefusal(at(seconds - 301), "timestamp_too_old");
      await expectRefusal(at(seconds + 301), "timestamp_too_new");
      await at(seconds - 300);
      await at(seconds + 300);
    });

    test("refuses missing, repeated and malformed headers", async () => {
      const verifier = createVerifier(stripe, { keys: secret, ...clock });
      const attempt = (value: string | string[] | undefined) =>
        verifier.verify({ headers: { "stripe-signature": value }, body });
      await expectRefusal(attempt(undefined), "header_missing");
      await expectRefusal(attempt(""), "header_missing");
      await expectRefusal(attempt([header(), header()]), "header_repeated");
      await expectRefusal(attempt(`${header()},${header()}`), "header_repeated");
      await expectRefusal(attempt("nonsense"), "signature_missing");
      await expectRefusal(attempt(`t=${seconds}`), "signature_missing");
      await expectRefusal(attempt("v1=00"), "header_malformed");
      await expectRefusal(attempt(`t=${seconds},v1=xyz`), "signature_malformed");
      await expectRefusal(attempt(`t=1e9,v1=${"0".repeat(64)}`), "timestamp_malformed");
      await expectRefusal(attempt(header().slice(0, -2)), "signature_mismatch");
      await expectRefusal(attempt(`t=${seconds}${",v1=00".repeat(6)}`), "signature_malformed");
    });

    test("passes over a broken signature beside a right one", async () => {
      const verifier = createVerifier(stripe, { keys: secret, ...clock });
      const value = header().replace(",v1=", ",v1=zz,v1=00,v0=11,v1=");
      expect((await verifier.verify({ headers: { "stripe-signature": value }, body })).id).toBe("evt_1");
    });

    test("verifies bytes that are no UTF-8 and gives them no payload", async () => {
      const raw = Uint8Array.of(0x7b, 0xff, 0x00, 0x7d);
      const headers = await sign(stripe, { keys: secret, body: raw, timestamp: now });
      const delivery = await createVerifier(stripe, { keys: secret, ...clock }).verify({ headers, body: raw });
      expect(delivery.payload).toBeUndefined();
      expect(delivery.body).toEqual(raw);
      expect([delivery.dedupeKey, delivery.repeat]).toEqual([
        expect.stringMatching(/^2:body:/),
        { by: "body", windowSeconds: 3600 },
      ]);
    });

    test("takes a body as an ArrayBuffer, up to its limit", async () => {
      const buffer = Uint8Array.from(Buffer.from(body)).buffer;
      const request = { headers: { "stripe-signature": header() }, body: buffer };
      const delivery = await createVerifier(stripe, { keys: secret, ...clock }).verify(request);
      expect(delivery.body).toEqual(new Uint8Array(buffer));
      const short = createVerifier(stripe, { keys: secret, maxBodyBytes: 10, ...clock });
      await expectRefusal(short.verify(request), "body_too_large");
    });

    test("refuses a parsed body and a body that is too large", async () => {
      const verifier = createVerifier(stripe, { keys: secret, maxBodyBytes: 10, ...clock });
      const headers = { "stripe-signature": header() };
      // A caller without types can hand in anything.
      await expectRefusal(verifier.verify({ headers, body: JSON.parse(body) as string }), "body_not_raw");
      await expectRefusal(verifier.verify({ headers }), "body_not_raw");
      await expectRefusal(verifier.verify({ headers, body }), "body_too_large");
    });

    test("uses a key only between its times", async () => {
      const headers = { "stripe-signature": header() };
      const attempt = (times: object) =>
        createVerifier(stripe, { keys: [{ key: secret, ...times }], ...clock }).verify({ headers, body });
      await attempt({ notBefore: now, notAfter: new Date(now + 1) });
      await expectRefusal(attempt({ notAfter: now }), "key_unknown");
      await expectRefusal(attempt({ notBefore: "2026-11-21T12:00:01Z" }), "key_unknown");
    });

    test("refuses keys that can never work when the verifier is built", () => {
      for (const keys of ["", [], [""], " padded ", [{ key: "a", notAfter: "never" }]])
        expect(() => createVerifier(stripe, { keys })).toThrow(expect.objectContaining({ name: "WebhookConfigError" }));
      for (const wrong of [Number.NaN, -1, "5"] as number[])
        for (const name of ["toleranceSeconds", "maxBodyBytes"])
          expect(() => createVerifier(stripe, { keys: "a secret of 19 bytes", [name]: wrong })).toThrow(
            `${name} is no number >= 0.`,
          );
      // A caller without types can hand in anything.
      for (const wrong of ["stripe", undefined, null, {}] as unknown as Scheme[])
        expect(() => createVerifier(wrong, { keys: "a secret of 19 bytes" })).toThrow(
          expect.objectContaining({ code: "setting_invalid", message: expect.stringContaining("Give a scheme") }),
        );
      for (const none of [undefined, null] as unknown as VerifierOptions[])
        expect(() => createVerifier(stripe, none)).toThrow(
          expect.objectContaining({ code: "setting_invalid", message: expect.stringContaining("and keys") }),
        );
      expect(() => createVerifier(stripe, { keys: "a secret of 19 bytes", settings: { colour: "red" } })).toThrow(
        "colour",
      );
    });

    test("refuses to sign without a scheme or a message, in words of its own", async () => {
      const message = { keys: "a secret of 19 bytes", body: "{}", status: 200 };
      const wrong = [
        ["stripe", message],
        [undefined, message],
        [stripe, undefined],
      ] as unknown as [Scheme, typeof message][];
      for (const [scheme, input] of wrong)
        for (const signs of [sign, signRequest, signResponse])
          await expect(signs(scheme, input)).rejects.toMatchObject({
            code: "setting_invalid",
            message: expect.stringContaining("Give a scheme from /schemes/*"),
          });
    });
  });

  describe("github", () => {
    const secret = "It's a Secret to Everybody";

    test("reads a delivery whose content type is a form", async () => {
      const body = `payload=${encodeURIComponent('{"action":"opened","number":7}')}`;
      const headers = await sign(github, { keys: secret, body, type: "pull_request", id: "d1" });
      const delivery = await createVerifier(github, { keys: secret }).verify({ headers, body });
      expect([delivery.type, delivery.payload]).toEqual(["pull_request.opened", { action: "opened", number: 7 }]);
      for (const none of ["zen=Design", "payload=%7B", "plain text"]) {
        const signed = await sign(github, { keys: secret, body: none, type: "ping", id: "d1" });
        const { payload } = await createVerifier(github, { keys: secret }).verify({ headers: signed, body: none });
        expect([none, payload]).toEqual([none, undefined]);
      }
    });

    test("accepts the vector of GitHub's documentation", async () => {
      const signature = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
      const delivery = await createVerifier(github, { keys: secret }).verify({
        headers: { "x-hub-signature-256": signature, "x-github-delivery": "d1", "x-github-event": "push" },
        body: "Hello, World!",
      });
      expect(delivery).toMatchObject({ id: "d1", type: "push", covered: ["body"] });
      expect(delivery.payload).toBeUndefined();
    });

    test("agrees with octokit in both directions", async () => {
      const body = '{"action":"opened","number":1}';
      const headers = { "X-Hub-Signature-256": await octokitSign(secret, body), "X-GitHub-Event": "pull_request" };
      expect((await createVerifier(github, { keys: secret }).verify({ headers, body })).type).toBe(
        "pull_request.opened",
      );
      const ours = await sign(github, { keys: secret, body, type: "pull_request", id: "d1" });
      expect(await octokitVerify(secret, body, ours["x-hub-signature-256"] ?? "")).toBe(true);
      expect(ours["x-github-delivery"]).toBe("d1");
    });

    test("goes by the delivery's id, and shows when the signed bytes come again under another", async () => {
      const body = '{"zen":"Design for failure."}';
      const headers = await sign(github, { keys: secret, body, type: "ping", id: "d1" });
      const verifier = createVerifier(github, { keys: secret });
      const first = await verifier.verify({ headers, body });
      const replay = await verifier.verify({ headers: { ...headers, "x-github-delivery": "d2" }, body });
      expect([first.dedupeKey, replay.dedupeKey]).toEqual(["2:id:d1", "2:id:d2"]);
      expect(replay.signedDigest).toBe(first.signedDigest);
    });
  });

  describe("standard-webhooks", () => {
    const secret = `whsec_${Buffer.from("a secret of thirty-two bytes ...").toString("base64")}`;
    const body = '{"type":"contact.created","data":{"id":"1"}}';
    const signed = (key = secret, id = "msg_1", at = now): Record<string, string> => ({
      "webhook-id": id,
      "webhook-timestamp": String(at / 1000),
      "webhook-signature": new Webhook(key).sign(id, new Date(at), body),
    });

    test("accepts what the standardwebhooks package signs", async () => {
      const delivery = await createVerifier(standardWebhooks, { keys: secret, ...clock }).verify({
        headers: signed(),
        body,
      });
      expect(delivery).toMatchObject({ id: "msg_1", type: "contact.created", timestamp: now, dedupeKey: "msg_1" });
    });

    test("signs what the standardwebhooks package accepts", async () => {
      // That package takes the time from the machine.
      const headers = await sign(standardWebhooks, { keys: secret, body, id: "msg_1" });
      expect(new Webhook(secret).verify(body, { ...headers })).toEqual(JSON.parse(body));
    });

    test("accepts the signature of a rotated key in a list", async () => {
      const other = `whsec_${randomBytes(32).toString("base64")}`;
      const headers = signed();
      const list = `v1a,AAAA v9,x ${signed(other)["webhook-signature"]} ${headers["webhook-signature"]}`;
      await createVerifier(standardWebhooks, { keys: secret, ...clock }).verify({
        headers: { ...headers, "webhook-signature": list },
        body,
      });
    });

    test("verifies and makes Ed25519 signatures with whpk_ and whsk_ keys", async () => {
      const seed = Buffer.from("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60", "hex");
      const der = Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), seed]);
      const privateKey = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
      const publicBytes = createPublicKey(privateKey).export({ format: "der", type: "spki" }).subarray(-32);
      const content = `msg_1.${seconds}.${body}`;
      const headers = {
        "webhook-id": "msg_1",
        "webhook-timestamp": String(seconds),
        "webhook-signature": `v1a,${rawSign(null, Buffer.from(content), privateKey).toString("base64")}`,
      };
      const verifier = createVerifier(standardWebhooks, { keys: `whpk_${publicBytes.toString("base64")}`, ...clock });
      expect((await verifier.verify({ headers, body })).id).toBe("msg_1");
      const ours = await sign(standardWebhooks, {
        keys: `whsk_${seed.toString("base64")}`,
        body,
        id: "msg_1",
        timestamp: now,
      });
      expect(ours).toEqual(headers);
      await expectRefusal(verifier.verify({ headers, body: `${body} ` }), "signature_mismatch");
      await expectRefusal(verifier.verify({ headers: signed(), body }), "signature_mismatch");
    });

    test("refuses ids with full stops, times that are not digits and headers that came twice", async () => {
      const verifier = createVerifier(standardWebhooks, { keys: secret, ...clock });
      const attempt = (changed: Record<string, string | string[]>) =>
        verifier.verify({ headers: { ...signed(), ...changed }, body });
      await expectRefusal(verifier.verify({ headers: signed(secret, "a.1"), body }), "header_malformed");
      await expectRefusal(attempt({ "webhook-timestamp": `${seconds}.0` }), "timestamp_malformed");
      await expectRefusal(attempt({ "webhook-timestamp": "" }), "header_missing");
      await expectRefusal(attempt({ "webhook-id": ["a", "b"] }), "header_repeated");
      await expectRefusal(
        attempt({ "webhook-signature": `v1,AAAA, ${signed()["webhook-signature"]}` }),
        "header_repeated",
      );
      await expectRefusal(attempt({ "webhook-signature": "v2,AAAA" }), "signature_malformed");
      await expectRefusal(attempt({ "webhook-id": "msg_2" }), "signature_mismatch");
      await expectRefusal(attempt({ "webhook-timestamp": String(seconds + 1) }), "signature_mismatch");
    });

    test("refuses short secrets and keys of the wrong kind", () => {
      for (const keys of [
        `whsec_${Buffer.from("short").toString("base64")}`,
        "whsec_not base64",
        "whpk_AAAA",
        "whsk_AAAA",
      ])
        expect(() => createVerifier(standardWebhooks, { keys })).toThrow("This key cannot be used");
    });
  });

  test("gives the same hex SHA-256 for text and its bytes", async () => {
    const { sha256Hex } = await import("../../src/index.ts");
    expect(await sha256Hex(bytes("abc"))).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  });
};
