import { describe, expect, test } from "vitest";
import { factsOf } from "../../scripts/facts.ts";
import { schemes } from "../../src/all-schemes.ts";
import {
  createVerifier,
  type Delivery,
  type Keys,
  type RequestLike,
  type Scheme,
  signRequest,
  type WebhookRequest,
  WebhookVerificationError,
} from "../../src/index.ts";
import { expectRefusal } from "../support.ts";
import { vectors } from "../vectors/index.ts";
import { now, type Vector, type VectorRequest } from "../vectors/vector.ts";

const listOf = (keys: Keys): readonly unknown[] => (Array.isArray(keys) ? keys : [keys]);

const receive = (
  scheme: Scheme,
  vector: Vector,
  request: WebhookRequest | RequestLike = vector.request,
  { keys = vector.keys, at = vector.now ?? now }: { keys?: Keys; at?: number } = {},
): Promise<Delivery> =>
  createVerifier(scheme, {
    keys,
    now: () => at,
    allowShort: vector.allowShort,
    ...(vector.settings !== undefined && { settings: vector.settings }),
  }).verify(request);

/** Refused for any reason, but by a verification error, never by a crash. */
const expectAnyRefusal = async (attempt: Promise<unknown>): Promise<void> => {
  const outcome = await attempt.then(
    () => "accepted",
    (error: unknown) => error,
  );
  expect(outcome).toBeInstanceOf(WebhookVerificationError);
};

const withHeader = (request: VectorRequest, name: string, value: string | string[] | undefined): WebhookRequest => ({
  ...request,
  headers: { ...request.headers, [name]: value },
});

/**
 * Every byte of the body turned once would take long; first, last and some between are turned
 * instead.
 */
const flips = (body: Uint8Array): readonly Uint8Array[] =>
  [0, Math.floor(body.length / 3), Math.floor(body.length / 2), body.length - 1]
    .filter((at) => at >= 0 && at < body.length)
    .map((at) => Uint8Array.from(body, (byte, index) => (index === at ? byte ^ 1 : byte)));

const changeAt = (text: string, at: number): string =>
  `${text.slice(0, at)}${text[at] === "0" ? "1" : "0"}${text.slice(at + 1)}`;

/** Headers of the message whose value the signature covers. */
const coveredHeaders = (scheme: Scheme, { request }: Vector, covered: readonly string[]): readonly string[] =>
  Object.keys(request.headers).filter(
    (name) =>
      covered.includes(`header:${name}`) ||
      (covered.includes("id") && scheme.id === `header:${name}`) ||
      (covered.includes("timestamp") && /timestamp|-time$/.test(name)) ||
      (covered.includes("id") && /(message|event|request|webhook|svix)-id$/.test(name)) ||
      (covered.includes("body") && name === "content-digest"),
  );

/** Headers that tell repeats although nothing signs them, as the scheme declares. */
const headersOfRepeats = ({ id, repeats = [] }: Scheme): readonly string[] =>
  repeats
    .flatMap((rule) => (rule.by === "unsigned-id" ? (rule.id ?? id) : rule.by === "body" ? rule.with : undefined))
    .flatMap((place) => (place?.startsWith("header:") ? place.slice("header:".length).split("|") : []));

export const matrix = (): void => {
  test("has a vector for every scheme and a scheme for every vector", () => {
    expect(Object.keys(vectors).sort()).toEqual(Object.keys(schemes).sort());
  });

  for (const [name, scheme] of Object.entries<Scheme>(schemes)) {
    const vector = vectors[name];
    if (vector === undefined) continue;
    const { request, expected } = vector;
    const at = vector.now ?? now;
    const bodyBytes = typeof request.body === "string" ? new TextEncoder().encode(request.body) : request.body;
    const signatureHeaders = factsOf(scheme).headers.map((header) => header.toLowerCase());

    describe(name, () => {
      test("is named after its place in the record", () => {
        expect(scheme.name).toBe(name);
      });

      test("accepts what its sender signs and reads it as expected", async () => {
        const delivery = await receive(scheme, vector);
        expect(delivery.scheme).toBe(name);
        expect(delivery).toMatchObject(expected);
        const { repeat, dedupeKey, id } = delivery;
        if (repeat.by === "none") expect(dedupeKey).toBeUndefined();
        else if (repeat.by === "body") expect(dedupeKey).toMatch(/^2:body:[0-9a-f]{64}$/);
        else if (!("dedupeKey" in expected)) expect([id, `2:id:${id}`]).toContain(dedupeKey);
        if (!("timestamp" in expected)) expect(delivery.timestamp).toBeUndefined();
      });

      test("accepts the same as bytes, with header names in other letter case, and as a web Request", async () => {
        const headers = Object.fromEntries(
          Object.entries(request.headers).map(([header, value]) => [header.toUpperCase(), value]),
        );
        await receive(scheme, vector, { ...request, headers, body: bodyBytes });
        if (request.method === "GET") return;
        await receive(
          scheme,
          vector,
          new Request(request.url ?? "https://hooks.example.com/", {
            method: request.method ?? "POST",
            headers: request.headers,
            body: Buffer.from(bodyBytes),
          }),
        );
      });

      test("accepts it under any of several keys, as while one is rotated", async () => {
        // Both are keys or lists of keys: vectors use no key sources.
        const both = [...listOf(vector.otherKeys), ...listOf(vector.keys)] as Keys;
        expect((await receive(scheme, vector, request, { keys: both })).scheme).toBe(name);
      });

      test("refuses it under another key", async () => {
        await expectRefusal(receive(scheme, vector, request, { keys: vector.otherKeys }), "signature_mismatch");
      });

      test("refuses a key that is not valid now", async () => {
        const [first] = listOf(vector.keys);
        const key = typeof first === "object" && first !== null && "key" in first ? first : { key: first };
        const keys = [{ ...(key as { key: string }), notAfter: at }];
        await expectRefusal(receive(scheme, vector, request, { keys }), "key_unknown");
      });

      if (scheme.covered.includes("body") && factsOf(scheme).headers.length > 0) {
        test("refuses every turned bit of the body, and bytes added or cut", async () => {
          for (const body of flips(bodyBytes)) await expectAnyRefusal(receive(scheme, vector, { ...request, body }));
          await expectAnyRefusal(
            receive(scheme, vector, { ...request, body: Buffer.concat([bodyBytes, Buffer.from(" ")]) }),
          );
          if (bodyBytes.length > 0)
            await expectAnyRefusal(receive(scheme, vector, { ...request, body: bodyBytes.slice(0, -1) }));
        });
      }

      test("refuses a change to any other covered part", async () => {
        const { covered } = await receive(scheme, vector);
        for (const header of coveredHeaders(scheme, vector, covered)) {
          const value = request.headers[header] ?? "";
          for (const position of [0, value.length - 1])
            await expectAnyRefusal(receive(scheme, vector, withHeader(request, header, changeAt(value, position))));
        }
        if (covered.includes("method"))
          await expectAnyRefusal(
            receive(scheme, vector, { ...request, method: request.method === "PUT" ? "POST" : "PUT" }),
          );
        if (covered.includes("url")) {
          await expectAnyRefusal(receive(scheme, vector, { ...request, url: `${request.url ?? ""}x` }));
          await expectRefusal(receive(scheme, vector, { ...request, url: undefined }), "request_incomplete");
        }
        for (const [change, tamper] of Object.entries(vector.tampered ?? {})) {
          const outcome = await receive(scheme, vector, tamper(request)).then(
            () => "accepted",
            (error: unknown) => (error instanceof WebhookVerificationError ? "refused" : error),
          );
          expect([change, outcome]).toEqual([change, "refused"]);
        }
      });

      if (signatureHeaders.length > 0) {
        test("refuses it without its headers", async () => {
          for (const header of signatureHeaders) {
            if (vector.optionalHeaders?.includes(header) === true) continue;
            await expectRefusal(receive(scheme, vector, withHeader(request, header, undefined)), "header_missing");
            await expectRefusal(receive(scheme, vector, withHeader(request, header, "")), "header_missing");
          }
          const none = Object.fromEntries(
            Object.entries(request.headers).filter(([header]) => !signatureHeaders.includes(header)),
          );
          await expectRefusal(receive(scheme, vector, { ...request, headers: none }), "header_missing");
        });

        test("refuses headers that came twice, in a list or under another letter case", async () => {
          for (const header of signatureHeaders) {
            const value = request.headers[header];
            if (value === undefined) continue;
            await expectRefusal(
              receive(scheme, vector, withHeader(request, header, [value, value])),
              "header_repeated",
            );
            await expectRefusal(
              receive(scheme, vector, withHeader(request, header.toUpperCase(), value)),
              "header_repeated",
            );
            // What two headers look like once web Headers have joined them. Where a header lists
            // signatures and nothing else, the same one twice counts once.
            const [signature] = signatureHeaders;
            const pairs = scheme.layout?.signature.pairs;
            const listsOnly = pairs !== undefined && pairs.timestamp === undefined;
            if (header === signature && vector.optionalHeaders === undefined && !listsOnly)
              await expectAnyRefusal(receive(scheme, vector, withHeader(request, header, `${value}, ${value}`)));
          }
        });

        test("refuses malformed and truncated signatures", async () => {
          const [header = ""] = signatureHeaders;
          const value = request.headers[header] ?? "";
          if (vector.optionalHeaders !== undefined) {
            const cut = Object.fromEntries(
              Object.entries(request.headers).map(([key, text]) => [
                key,
                signatureHeaders.includes(key) && !/time/.test(key) ? text.slice(0, -4) : text,
              ]),
            );
            await expectAnyRefusal(receive(scheme, vector, { ...request, headers: cut }));
            return;
          }
          const signatureHeader =
            header === "webhook-id" || header === "svix-id"
              ? `${header.slice(0, -2)}signature`
              : header === "signature-input"
                ? "signature"
                : header === "paypal-transmission-id"
                  ? "paypal-transmission-sig"
                  : header;
          const written = request.headers[signatureHeader] ?? value;
          for (const broken of [
            "!",
            "a",
            "=",
            "t=1,v1=",
            written.slice(0, -1),
            written.slice(0, -2),
            written.slice(0, -8),
            `${written}00`,
            "0".repeat(20_000),
            "\u0000",
            "v1,=,=",
            "[]",
            "{}",
            "a.b.c",
            "..",
          ])
            await expectAnyRefusal(receive(scheme, vector, withHeader(request, signatureHeader, broken)));
        });
      } else if (scheme.credentials.includes("query:secret")) {
        test("refuses it without the secret in its query, and with another", async () => {
          const withoutQuery = request.url?.replace(/\?.*/, "");
          for (const [changed, code] of [
            [withoutQuery, "signature_missing"],
            [`${withoutQuery}?secret=`, "signature_mismatch"],
            [`${request.url}&secret=x`, "signature_missing"],
            [`${request.url}x`, "signature_mismatch"],
          ] as const)
            await expectRefusal(receive(scheme, vector, { ...request, url: changed }), code);
        });
      } else {
        test("refuses bodies that hold no signature, whatever they are", async () => {
          for (const body of ["", "{}", "[]", "null", "1", '"x"', "{", '{"a":', '{"signature":1}', "\u0000"])
            await expectAnyRefusal(receive(scheme, vector, { ...request, body }));
        });
      }

      const tolerance = scheme.toleranceSeconds;
      if (tolerance !== undefined) {
        test(`refuses it ${tolerance} seconds and one off in either direction, and not before`, async () => {
          const signed = (await receive(scheme, vector)).timestamp ?? Number.NaN;
          const off = (seconds: number) => receive(scheme, vector, request, { at: signed + seconds * 1000 });
          await off(tolerance);
          await off(-tolerance);
          await expectRefusal(off(tolerance + 1), "timestamp_too_old");
          await expectRefusal(off(-tolerance - 1), "timestamp_too_new");
        });
      }

      const again = vector.signing ?? vector.resigning;
      if (again !== undefined) {
        test("signs what it accepts", async () => {
          const signed = await signRequest(scheme, {
            url: request.url,
            ...(request.method !== undefined && { method: request.method }),
            body: request.body,
            ...again,
          });
          if (vector.signing !== undefined) {
            expect(signed.headers).toMatchObject(request.headers);
            if (factsOf(scheme).headers.length > 0) expect(signed.body).toEqual(bodyBytes);
          }
          expect((await receive(scheme, vector, signed)).scheme).toBe(name);
        });
      }

      test("keeps its dedupe key when a replay changes what is not signed", async () => {
        const { dedupeKey, covered } = await receive(scheme, vector);
        const kept = new Set([
          ...coveredHeaders(scheme, vector, covered),
          ...signatureHeaders,
          ...headersOfRepeats(scheme),
          "content-type",
        ]);
        const headers = Object.fromEntries(
          Object.entries(request.headers).map(([header, value]) => [
            header,
            kept.has(header) ? value : `${value}-changed`,
          ]),
        );
        const replay = await receive(scheme, vector, {
          ...request,
          headers: { ...headers, "x-added-on-the-way": "new" },
        });
        expect(replay.dedupeKey).toBe(dedupeKey);
      });
    });
  }
};
