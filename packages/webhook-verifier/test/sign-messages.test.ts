import { createHash, sign as signBytes, verify as verifyBytes } from "node:crypto";
import { httpbis } from "http-message-signatures";
import { describe, expect, test } from "vitest";
import { schemes } from "../src/all-schemes.ts";
import { createVerifier, sign, signRequest, signResponse } from "../src/index.ts";
import { expectRefusal, now } from "./support.ts";
import { ed25519 } from "./vectors/vector.ts";

const pair = ed25519(7);
const keys = { key: pair.privateKey.export({ format: "pem", type: "pkcs8" }).toString(), id: "k1" };
const digestOf = (body: string): string => `sha-256=:${createHash("sha256").update(body).digest("base64")}:`;
const body = '{"id":"evt_1","type":"thing.made"}';
const request = { method: "POST", url: "https://h.example.com/in?a=1", headers: { "x-order": "17" } };

const verifierOf = (components?: readonly string[]) =>
  createVerifier(schemes.rfc9421, {
    keys: { key: pair.raw, id: "k1" },
    now: () => now,
    ...(components && { settings: { components } }),
  });

/**
 * The two headers of a signature over these lines, written without the code under test: Ed25519 has
 * one for a text.
 */
const byHand = (lines: readonly (readonly [component: string, value: string])[]) => {
  const params = `(${lines.map(([component]) => component).join(" ")});created=${now / 1000};keyid="k1";alg="ed25519"`;
  const base = [...lines.map((line) => line.join(": ")), `"@signature-params": ${params}`].join("\n");
  return {
    "signature-input": `sig=${params}`,
    signature: `sig=:${signBytes(null, Buffer.from(base), pair.privateKey).toString("base64")}:`,
  };
};

describe("a response is signed", () => {
  const draft = { keys, status: 201, body, request, timestamp: now, headers: { "Content-Type": "application/json" } };

  test("over its status, its body and the request that it answers", async () => {
    const signed = await signResponse(schemes.rfc9421, draft);
    expect(signed.status).toBe(201);
    expect(signed.headers).toEqual({
      "content-type": "application/json",
      "content-digest": digestOf(body),
      ...byHand([
        ['"@status"', "201"],
        ['"@method";req', "POST"],
        ['"@target-uri";req', request.url],
        ['"content-digest"', digestOf(body)],
      ]),
    });
    const { verify } = verifierOf();
    expect((await verify({ ...signed, request })).id).toBe("evt_1");
    await expectRefusal(verify({ ...signed, status: 200, request }), "signature_mismatch");
    await expectRefusal(verify({ ...signed, request: { ...request, method: "PUT" } }), "signature_mismatch");
    await expectRefusal(verify({ ...signed, body: "{}", request }), "digest_mismatch");
  });

  test("so that another implementation accepts it", async () => {
    const components = ["@status", "content-digest", '"@path";req', '"x-order";req'];
    const { status, headers } = await signResponse(schemes.rfc9421, { ...draft, settings: { components } });
    const config = {
      keyLookup: async () => ({
        id: "k1",
        algs: ["ed25519" as const],
        verify: async (data: Buffer, signature: Buffer) => verifyBytes(null, data, pair.publicKey, signature),
      }),
      notAfter: new Date(now + 1000),
      maxAge: Number.MAX_SAFE_INTEGER,
    };
    expect(await httpbis.verifyMessage(config, { status, headers: { ...headers } }, request)).toBe(true);
    const other = { ...request, headers: { "x-order": "18" } };
    expect(await httpbis.verifyMessage(config, { status, headers: { ...headers } }, other)).toBe(false);
  });

  test("only with the request, where a part of it is covered", async () => {
    const { request: _, ...alone } = draft;
    await expectRefusal(signResponse(schemes.rfc9421, alone), "request_incomplete");
    const components = ["@status", "content-digest"];
    const signed = await signResponse(schemes.rfc9421, { ...alone, settings: { components } });
    await verifierOf(components).verify(signed);
  });

  test("by no other scheme", async () => {
    await expect(signResponse(schemes.stripe, { ...draft, keys: "a secret of some length" })).rejects.toThrow(
      "Stripe signs no responses: only RFC 9421 does.",
    );
  });
});

describe("trailers are signed", () => {
  const components = ["@method", '"content-digest";tr', '"x-checked";tr'];
  const draft = { keys, body, timestamp: now, url: request.url, settings: { components } };

  test("with the digest of the body among them, and none in a header", async () => {
    const signed = await signRequest(schemes.rfc9421, { ...draft, trailers: { "X-Checked": "yes" } });
    expect(signed.trailers).toEqual({ "x-checked": "yes", "content-digest": digestOf(body) });
    expect(signed.headers).toEqual(
      byHand([
        ['"@method"', "POST"],
        ['"content-digest";tr', digestOf(body)],
        ['"x-checked";tr', "yes"],
      ]),
    );
    const { verify } = verifierOf(components);
    expect((await verify(signed)).covered).toContain("body");
    const trailers = { ...signed.trailers, "x-checked": "no" };
    await expectRefusal(verify({ ...signed, trailers }), "signature_mismatch");
  });

  test("of a response, too", async () => {
    const wanted = ["@status", '"content-digest";tr', '"x-order";req'];
    const signed = await signResponse(schemes.rfc9421, {
      ...{ keys, body, timestamp: now, status: 200, request },
      settings: { components: wanted },
    });
    expect(Object.keys(signed.headers)).not.toContain("content-digest");
    expect(signed.trailers).toEqual({ "content-digest": digestOf(body) });
    await verifierOf(wanted).verify({ ...signed, request });
  });

  test("and the whole message is returned: `sign`, which returns headers, refuses", async () => {
    await expect(sign(schemes.rfc9421, { ...draft, trailers: { "x-checked": "yes" } })).rejects.toThrow("trailers");
    const kept = {
      ...draft,
      trailers: { "x-checked": "yes" },
      settings: { components: ["@method", '"x-checked";tr'] },
    };
    expect(await sign(schemes.rfc9421, kept)).toMatchObject({ "content-digest": digestOf(body) });
  });

  test("only if they are given, and by no other scheme", async () => {
    await expectRefusal(signRequest(schemes.rfc9421, draft), "header_missing");
    await expect(
      signRequest(schemes.github, { ...draft, settings: {}, keys: "a secret of some length", trailers: { a: "1" } }),
    ).rejects.toThrow("GitHub signs no trailers: only RFC 9421 does.");
  });
});
