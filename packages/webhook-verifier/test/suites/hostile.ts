import { describe, expect, test } from "vitest";
import { schemes } from "../../src/all-schemes.ts";
import { createVerifier, defineScheme, hex, sign, textSecret, WebhookVerificationError } from "../../src/index.ts";
import { bytes, expectRefusal, now } from "../support.ts";

const keys = "a secret that only the two know";
const body = '{"id":"evt_1","type":"thing.made"}';
const clock = { now: () => now };

/**
 * What somebody without the key may send; every attempt must end in a refusal with a code, never in
 * a crash.
 */
export const hostile = (): void => {
  describe("signatures in another spelling", () => {
    const github = createVerifier(schemes.github, { keys });
    const shopify = createVerifier(schemes.shopify, { keys });
    const spellings: Record<string, (signature: string) => string> = {
      "white space inside": (text) => `${text.slice(0, 10)} ${text.slice(10)}`,
      "a line break inside": (text) => `${text.slice(0, 10)}\n${text.slice(10)}`,
      "a tab inside": (text) => `${text.slice(0, 10)}\t${text.slice(10)}`,
      "something behind it": (text) => `${text}0`,
      "a NUL behind it": (text) => `${text}\u0000`,
      "letters beyond ASCII": (text) => `${text.slice(0, -1)}é`,
      "full-width digits": (text) => text.replace(/\d/, (digit) => String.fromCharCode(0xff10 + Number(digit))),
      "half of it": (text) => text.slice(0, text.length / 2),
      "all of it twice": (text) => `${text}${text}`,
      nothing: () => "",
    };
    for (const [what, spell] of Object.entries(spellings)) {
      test(`are refused in hex: ${what}`, async () => {
        const headers = await sign(schemes.github, { keys, body });
        const right = (headers["x-hub-signature-256"] ?? "").slice("sha256=".length);
        await expect(
          github.verify({ headers: { "x-hub-signature-256": `sha256=${spell(right)}` }, body }),
        ).rejects.toBeInstanceOf(WebhookVerificationError);
      });
      test(`are refused in base64: ${what}`, async () => {
        const headers = await sign(schemes.shopify, { keys, body });
        const right = headers["x-shopify-hmac-sha256"] ?? "";
        await expect(
          shopify.verify({ headers: { "x-shopify-hmac-sha256": spell(right) }, body }),
        ).rejects.toBeInstanceOf(WebhookVerificationError);
      });
    }

    test("are refused in base64 without padding, with other padding, in the URL's alphabet and with spare bits", async () => {
      const digest = (await sign(schemes.shopify, { keys, body }))["x-shopify-hmac-sha256"] ?? "";
      const bare = digest.replace(/=+$/, "");
      const spare = `${bare.slice(0, -1)}${String.fromCharCode(bare.charCodeAt(bare.length - 1) + 1)}=`;
      for (const written of [bare, `${bare}==`, `${digest}=`, `=${digest}`, spare, `${bare}%3D`])
        await expectRefusal(
          shopify.verify({ headers: { "x-shopify-hmac-sha256": written }, body }),
          "signature_malformed",
        );
    });

    test("are accepted in capital hex and inside outer white space, which header fields may have", async () => {
      const { "x-hub-signature-256": header = "" } = await sign(schemes.github, { keys, body });
      await github.verify({ headers: { "x-hub-signature-256": ` ${header}\t` }, body });
      await github.verify({
        headers: { "x-hub-signature-256": `sha256=${header.slice("sha256=".length).toUpperCase()}` },
        body,
      });
    });
  });

  describe("times", () => {
    const stripe = createVerifier(schemes.stripe, { keys, ...clock });
    for (const written of ["1e9", "+1", "-1", "1.0", "0x10", "٣", "1".repeat(16), "Infinity", "NaN", "1_000", "1 0"])
      test(`are refused when written ${JSON.stringify(written)}`, async () => {
        await expectRefusal(
          stripe.verify({ headers: { "stripe-signature": `t=${written},v1=${"0".repeat(64)}` }, body }),
          "timestamp_malformed",
        );
      });

    test("are signed as they arrived: the same second with a zero in front is another text", async () => {
      const { "stripe-signature": header = "" } = await sign(schemes.stripe, { keys, body, timestamp: now });
      await expectRefusal(
        stripe.verify({ headers: { "stripe-signature": header.replace("t=", "t=0") }, body }),
        "signature_mismatch",
      );
    });
  });

  describe("headers", () => {
    const slack = createVerifier(schemes.slack, { keys, ...clock });

    test("with any number of signatures cost no more than five checks", async () => {
      const stripe = createVerifier(schemes.stripe, { keys, ...clock });
      const standard = createVerifier(schemes["standard-webhooks"], { keys: "a".repeat(44), ...clock });
      const many = Array.from({ length: 200 }, (_, index) => `v1=${String(index).padStart(64, "0")}`).join(",");
      await expectRefusal(
        stripe.verify({ headers: { "stripe-signature": `t=${now / 1000},${many}` }, body }),
        "signature_malformed",
      );
      const list = Array.from({ length: 200 }, () => `v1,${Buffer.alloc(32).toString("base64")}`).join(" ");
      await expectRefusal(
        standard.verify({
          headers: { "webhook-id": "m1", "webhook-timestamp": String(now / 1000), "webhook-signature": list },
          body,
        }),
        "signature_malformed",
      );
    });

    test("of no text, of no value and of lists of those are refused and not read", async () => {
      const right = await sign(schemes.slack, { keys, body, timestamp: now });
      // A caller without types can hand in anything.
      for (const value of [5, true, {}, [], [5], [undefined], [null], ["a", "b"], Symbol("s"), () => "v0="])
        await expect(
          slack.verify({ headers: { ...right, "x-slack-signature": value as unknown as string }, body }),
        ).rejects.toBeInstanceOf(WebhookVerificationError);
      for (const value of [null, undefined])
        await expectRefusal(
          slack.verify({ headers: { ...right, "x-slack-signature": value as unknown as string }, body }),
          "header_missing",
        );
    });

    test("named like members of objects are headers like others", async () => {
      const right = await sign(schemes.slack, { keys, body, timestamp: now });
      const headers = Object.assign(
        Object.create(null),
        JSON.parse('{"__proto__":"x","constructor":"y","get":"z"}'),
        right,
      );
      expect((await slack.verify({ headers, body })).scheme).toBe("slack");
      await expectRefusal(
        createVerifier(schemes.hook0, { keys, ...clock }).verify({
          headers: { "x-hook0-signature": `t=${now / 1000},h=constructor __proto__,v1=${"0".repeat(64)}` },
          body,
        }),
        "header_missing",
      );
    });
  });

  describe("bodies", () => {
    const github = createVerifier(schemes.github, { keys });

    test("count the same as text and as bytes, and nothing is a body as well", async () => {
      for (const text of ["", "ü", "\ufeff{}", "a\r\nb"]) {
        const headers = await sign(schemes.github, { keys, body: text });
        await github.verify({ headers, body: text });
        await github.verify({ headers, body: bytes(text) });
        await github.verify({ headers, body: Buffer.concat([Buffer.from("xx"), bytes(text)]).subarray(2) });
      }
    });

    test("that are no bytes are refused with what to do about it", async () => {
      const headers = await sign(schemes.github, { keys, body });
      for (const given of [
        {},
        [],
        5,
        null,
        new SharedArrayBuffer(2),
        new Uint16Array(2),
        new DataView(new ArrayBuffer(2)),
      ])
        await expect(github.verify({ headers, body: given as unknown as string })).rejects.toMatchObject({
          code: "body_not_raw",
          message: expect.stringContaining("raw bytes"),
        });
    });

    test("of requests that somebody has read, is reading or that break off are refused clearly", async () => {
      const headers = { ...(await sign(schemes.github, { keys, body })) };
      const make = (content: ReadableStream | string = body) =>
        new Request("https://h.example.com/", {
          method: "POST",
          headers,
          body: content,
          duplex: "half",
        } as RequestInit);
      const read = make();
      await read.text();
      await expectRefusal(github.verify(read), "body_not_raw");
      const locked = make();
      locked.body?.getReader();
      await expectRefusal(github.verify(locked), "body_not_raw");
      const broken = make(new ReadableStream({ start: (controller) => controller.error(new Error("gone")) }));
      await expectRefusal(github.verify(broken), "body_not_raw");
      const used = make();
      await used.text();
      await expectRefusal(createVerifier(schemes.slack, { keys }).handshake(used), "body_not_raw");
    });
  });

  describe("keys", () => {
    test("that are nothing at all are refused when the verifier is built, whatever they are", () => {
      for (const scheme of [
        schemes.stripe,
        schemes.discord,
        schemes.rfc9421,
        schemes["standard-webhooks"],
        schemes.adyen,
      ])
        for (const given of [
          undefined,
          null,
          "",
          5,
          true,
          {},
          [],
          [null],
          [undefined],
          { key: null },
          { key: "" },
          [{}],
        ])
          expect(() => createVerifier(scheme, { keys: given as unknown as string })).toThrow(
            expect.objectContaining({ name: "WebhookConfigError" }),
          );
    });

    test("overlap while one replaces the other, and each ends at its time", async () => {
      const rotated = (at: number) =>
        createVerifier(schemes.github, {
          keys: [
            { key: "the old secret of 26 bytes", id: "old", notAfter: now },
            { key: "the new secret of 26 bytes", id: "new", notBefore: now - 1000 },
          ],
          now: () => at,
        });
      const [old, fresh] = [
        await sign(schemes.github, { keys: "the old secret of 26 bytes", body }),
        await sign(schemes.github, { keys: "the new secret of 26 bytes", body }),
      ];
      expect((await rotated(now - 1001).verify({ headers: old, body })).keyId).toBe("old");
      await expectRefusal(rotated(now - 1001).verify({ headers: fresh, body }), "signature_mismatch");
      expect((await rotated(now - 1).verify({ headers: old, body })).keyId).toBe("old");
      expect((await rotated(now - 1).verify({ headers: fresh, body })).keyId).toBe("new");
      await expectRefusal(rotated(now).verify({ headers: old, body }), "signature_mismatch");
      expect((await rotated(now).verify({ headers: fresh, body })).keyId).toBe("new");
    });
  });

  test("a template has one body at most, and no part nobody knows", () => {
    const make = (signed: string) =>
      defineScheme({
        name: "acme",
        key: textSecret("hmac-sha256"),
        signature: { header: "X-Acme", encoding: hex },
        signed,
      });
    for (const signed of ["{body}{body}", "{bodies}", "{header:X}", "{constructor}", "{}"])
      expect(() => make(signed)).toThrow("template");
  });

  test("a form with a great many fields of one name is refused before it is read", async () => {
    const form = "a=1&".repeat(200_000);
    const verifier = createVerifier(schemes.twilio, { keys });
    await expectRefusal(
      verifier.verify({
        url: "https://h.example.com/",
        headers: {
          "content-type": "application/x-www-form-urlencoded",
          "x-twilio-signature": Buffer.alloc(20).toString("base64"),
        },
        body: form,
      }),
      "body_too_large",
    );
  });
};
