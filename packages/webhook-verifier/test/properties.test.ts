import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { factsOf } from "../scripts/facts.ts";
import { schemes } from "../src/all-schemes.ts";
import { decodeBase64, decodeBase64url, encodeBase64, encodeBase64url } from "../src/base64.ts";
import { alphabet64 } from "../src/base64-digits.ts";
import { decodeHex, encodeHex } from "../src/hex.ts";
import { createVerifier, type Scheme, signRequest, WebhookVerificationError } from "../src/index.ts";
import { ecdsaFromDer, ecdsaToDer } from "../src/keys/ecdsa-der.ts";
import * as node from "../src/platform/node.ts";
import * as web from "../src/platform/web.ts";
import { vectors } from "./vectors/index.ts";
import { now } from "./vectors/vector.ts";

const bytes = (min = 0, max = 300) => fc.uint8Array({ minLength: min, maxLength: max });

describe("properties", () => {
  test("encodings give back every byte and agree with node", () => {
    fc.assert(
      fc.property(bytes(), (value) => {
        expect(encodeHex(value)).toBe(Buffer.from(value).toString("hex"));
        expect(encodeBase64(value)).toBe(Buffer.from(value).toString("base64"));
        expect(encodeBase64url(value)).toBe(Buffer.from(value).toString("base64url"));
        expect(web.encode64(value, alphabet64)).toBe(Buffer.from(value).toString("base64").replace(/=+$/, ""));
        expect(decodeHex(encodeHex(value).toUpperCase())).toEqual(value);
        expect(decodeBase64(encodeBase64(value))).toEqual(value);
        expect(decodeBase64url(encodeBase64url(value))).toEqual(value);
      }),
    );
  });

  test("decoders take one spelling of a value and no other", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 12 }), (text) => {
        const base64 = decodeBase64(text);
        if (base64 !== undefined) expect(encodeBase64(base64)).toBe(text);
        const base64url = decodeBase64url(text);
        if (base64url !== undefined) expect(encodeBase64url(base64url)).toBe(text);
        const hex = decodeHex(text);
        if (hex !== undefined) expect(encodeHex(hex)).toBe(text.toLowerCase());
      }),
      { numRuns: 2000 },
    );
  });

  test("both platforms read base64 alike, whatever its spelling", () => {
    const near = fc.string({ unit: fc.constantFrom(..."AQgwZ/+9-_= \n\t\u00e9"), maxLength: 12 });
    // Node reads long texts with another decoder.
    const long = fc.tuple(bytes(96, 200), near).map(([value, end]) => Buffer.from(value).toString("base64") + end);
    fc.assert(
      fc.property(fc.oneof(near, fc.base64String({ maxLength: 40 }), long), (text) => {
        const read = node.decodeBase64(text);
        expect(web.decodeBase64(text)).toEqual(read);
        if (read !== undefined) expect(encodeBase64(read)).toBe(text);
      }),
      { numRuns: 5000 },
    );
    expect(web.decodeBase64("AAEC/w==")).toEqual(Uint8Array.of(0, 1, 2, 255));
    for (const [platform, { decodeBase64: decode }] of Object.entries({ node, web }))
      for (const end of ["AAEC/x==", "AAEC/w=", "AAEC/w", "AAEC /w==", "AAEC_w=="])
        expect(decode("A".repeat(400) + end), platform).toBeUndefined();
    for (const spelling of ["AAEC/x==", "AAEC/w=", "AAEC/w", "AAEC /w==", "AAEC_w=="])
      expect(web.decodeBase64(spelling), spelling).toBeUndefined();
  });

  test("ECDSA signatures come through ASN.1 unchanged", () => {
    fc.assert(
      fc.property(bytes(64, 64), (raw) => {
        expect(ecdsaFromDer(ecdsaToDer(raw), 32)).toEqual(raw);
      }),
    );
    fc.assert(
      fc.property(bytes(0, 80), (der) => {
        const raw = ecdsaFromDer(der, 32);
        if (raw !== undefined) expect(ecdsaToDer(raw)).toEqual(der);
      }),
    );
  });

  test("any body that is signed verifies, and no other body does", async () => {
    const keys = "a secret that only the two know";
    for (const scheme of [schemes.stripe, schemes.github, schemes.slack, schemes.zendesk]) {
      const verifier = createVerifier(scheme, { keys, now: () => now });
      await fc.assert(
        fc.asyncProperty(bytes(), bytes(), async (body, other) => {
          const { headers } = await signRequest(scheme, { keys, body, timestamp: now });
          const delivery = await verifier.verify({ headers, body });
          expect(delivery.body).toEqual(body);
          if (Buffer.compare(body, other) !== 0)
            await expect(verifier.verify({ headers, body: other })).rejects.toBeInstanceOf(WebhookVerificationError);
        }),
        { numRuns: 60 },
      );
    }
  });

  test("no header, body or method makes any scheme do anything but refuse", async () => {
    const text = fc.oneof(
      fc.string({ unit: "binary", maxLength: 60 }),
      fc.constantFrom("t=1,v1=00", "v1,AA==", "a.b.c", "sig=();created=1", "e30=.e30=.e30="),
    );
    for (const [name, scheme] of Object.entries<Scheme>(schemes)) {
      const vector = vectors[name];
      if (vector === undefined) continue;
      const verifier = createVerifier(scheme, {
        keys: vector.keys,
        now: () => vector.now ?? now,
        allowShort: vector.allowShort,
        ...(vector.settings !== undefined && { settings: vector.settings }),
      });
      const names = [
        ...factsOf(scheme).headers.map((header) => header.toLowerCase()),
        "content-type",
        "content-digest",
      ];
      await fc.assert(
        fc.asyncProperty(
          fc.tuple(...names.map(() => text)),
          fc.oneof(
            bytes(0, 60),
            fc.json().map((value) => new TextEncoder().encode(value)),
          ),
          fc.webUrl(),
          async (values, body, url) => {
            const headers = Object.fromEntries(names.map((header, index) => [header, values[index] ?? ""]));
            const outcome = await verifier
              .verify({ method: "POST", url, headers, body })
              .catch((error: unknown) => error);
            expect(outcome).toBeInstanceOf(WebhookVerificationError);
          },
        ),
        { numRuns: 25 },
      );
    }
  });
});
