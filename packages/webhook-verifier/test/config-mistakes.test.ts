import { describe, expect, expectTypeOf, test } from "vitest";
import { schemes } from "../src/all-schemes.ts";
import type { HmacOptions } from "../src/hmac.ts";
import {
  base64,
  createVerifier,
  defineScheme,
  hex,
  hmac,
  type Scheme,
  sign,
  signRequest,
  textSecret,
  WebhookConfigError,
} from "../src/index.ts";
import type { SchemeLayout } from "../src/scheme.ts";
import { expectRefusal } from "./support.ts";

const secret = "a secret that only the two know";

/** The message with which a configuration is refused. A caller without types can give anything. */
const refusalOf = (make: () => unknown): string => {
  try {
    make();
  } catch (error) {
    expect(error).toBeInstanceOf(WebhookConfigError);
    return (error as Error).message;
  }
  throw new Error("it was accepted");
};
const keyRefusal = (scheme: Scheme, keys: unknown): string =>
  refusalOf(() => createVerifier(scheme, { keys: keys as string }));

describe("a key that can never work is named", () => {
  test.each([
    ["a variable that is not set", [undefined, secret], "keys[0] is undefined"],
    ["one of two variables", [secret, undefined], "keys[1] is undefined"],
    ["null", [secret, null], "keys[1] is null"],
    ["no variable at all", undefined, "stripe needs a key"],
    ["a line break behind it", `${secret}\n`, "white space, such as a line break"],
    ["a blank before it", ` ${secret}`, "white space"],
    ["quotes around it", `"${secret}"`, "quotes around it"],
    ["single quotes around it", `'${secret}'`, "quotes around it"],
    ["an API key of Stripe", "sk_live_51H8x0000000000000000000", "an API key"],
    ["a restricted API key of Stripe", "rk_test_51H8x0000000000000000000", "an API key"],
    ["a short secret", "fifteen bytes !", "allowShort"],
  ])("%s", (_, keys, text) => {
    expect(keyRefusal(schemes.stripe, keys)).toContain(text);
  });

  const whsec = `whsec_${Buffer.from(secret).toString("base64")}`;
  test.each<[string, Scheme, string, string]>([
    ["quotes around base64", schemes["standard-webhooks"], `"${whsec}"`, "quotes around it"],
    ["a line break behind base64", schemes["standard-webhooks"], `${whsec}\r\n`, "line break"],
    ["quotes around hex", schemes.adyen, `"${Buffer.from(secret).toString("hex")}"`, "quotes around it"],
    ["quotes around a public key", schemes.discord, `"${"ab".repeat(32)}"`, "quotes around it"],
    ["an API key of OpenAI", schemes.openai, "sk-proj-0123456789abcdef", "an API key"],
    ["a token of GitHub", schemes.github, "ghp_0123456789abcdef0123456789abcdef0123", "an API key"],
    ["a token of GitLab", schemes.gitlab, "glpat-0123456789abcdef0123", "an API key"],
    ["a token of Slack", schemes.slack, "xoxb-0123456789-0123456789", "an API key"],
    ["an access token of Shopify", schemes.shopify, "shpat_0123456789abcdef0123456789abcdef", "an API key"],
    ["an account SID of Twilio", schemes.twilio, "AC0123456789abcdef0123456789abcdef", "an API key"],
  ])("%s", (_, scheme, key, text) => {
    expect(keyRefusal(scheme, key)).toContain(text);
    expect(keyRefusal(scheme, key)).not.toContain(key.slice(8, -3));
  });

  test("but a key that the sender does sign with, or that you chose yourself, is no mistake", () => {
    createVerifier(schemes.paystack, { keys: "sk_live_0123456789abcdef0123456789" });
    createVerifier(schemes.token, { keys: "sk_live_0123456789abcdef0123456789" });
    createVerifier(schemes.shopify, { keys: "shpss_0123456789abcdef0123456789abcdef" });
    createVerifier(schemes.stripe, { keys: 'a "quoted" secret of the sender\'s' });
  });

  test("when it is used to sign, too", async () => {
    await expect(sign(schemes.stripe, { keys: `"${secret}"`, body: "{}" })).rejects.toThrow("quotes around it");
  });
});

describe("a layout that can never work is refused when it is defined", () => {
  const layout: SchemeLayout = {
    name: "acme",
    key: textSecret("hmac-sha256"),
    signature: { header: "X-Acme-Signature", encoding: hex },
    signed: "{body}",
  };
  test.each<[string, object, string]>([
    ["an encoding by name", { signature: { header: "X-A", encoding: "hex" } }, "hex, base64, base64url or plainText"],
    ["no encoding", { signature: { header: "X-A" } }, "encoding is undefined"],
    ["no header", { signature: { encoding: hex } }, "name the header"],
    ["a key notation by name", { key: "hmac-sha256" }, 'textSecret("hmac-sha256")'],
    ["no template", { signed: undefined }, '"{body}"'],
    ["a part that does not exist", { signed: "{time}.{body}" }, "{timestamp}"],
    ["a header in upper case", { signed: "{header:X-Time}.{body}" }, "lower case"],
    ["{timestamp} without a place", { signed: "{timestamp}.{body}" }, "{timestamp} has no place"],
    [
      "{timestamp} whose place is missing",
      { signed: "{timestamp}.{body}", timestamp: { unit: "s" } },
      'timestamp: { header: "X-Acme-Time", unit: "s" }',
    ],
    ["a time without a place", { timestamp: { unit: "s", toleranceSeconds: 300 } }, "timestamp has no place"],
    ["a unit that does not exist", { timestamp: { header: "X-T", unit: "seconds" } }, "s, ms, iso, iso-utc or http"],
    ["{id} without a place", { signed: "{id}.{body}" }, "idHeader"],
    ["{key-id} without a place", { signed: "{key-id}.{body}" }, "keyIdHeader"],
    ["an id without its kind", { id: "id" }, "header:<name in lower case> or body:<path>"],
    ["an id in a list", { id: ["body:id", "type"] }, 'id is "type"'],
    ["a type in a header in upper case", { type: "header:X-Event" }, "lower case"],
    ["an attempt without its kind", { metadata: { attempt: "x-attempt" } }, "metadata.attempt"],
    [
      "a key of an algorithm that does not exist",
      { key: textSecret("hmac-md5" as "hmac-sha1") },
      'algorithm is "hmac-md5"',
    ],
    ["no name", { name: undefined }, "acme"],
    ["a header with a space", { signature: { header: "X Acme", encoding: hex } }, 'signature.header is "X Acme"'],
    ["one such header of two", { signature: { header: ["X-Acme", "X-Acme:"], encoding: hex } }, '"X-Acme:"'],
    ["a header of the id that cannot be", { signed: "{id}{body}", idHeader: "header:x-id" }, "idHeader is"],
    ["a template that names nothing of the request", { signed: "body" }, 'signed is "body"'],
  ])("%s", (_, change, text) => {
    expect(refusalOf(() => defineScheme({ ...layout, ...change } as SchemeLayout))).toContain(text);
  });

  test("and one that can is accepted", () => {
    defineScheme(layout);
    const pairs = { separator: ",", timestamp: "t", signature: "v1" } as const;
    const timed = { signature: { ...layout.signature, pairs }, timestamp: { unit: "s" }, signed: "{timestamp}.{body}" };
    defineScheme({ ...layout, ...timed } as SchemeLayout);
    defineScheme({ ...layout, timestamp: { body: "created", unit: "iso" }, id: ["header:x-id", "body:a|b"] });
  });
});

describe("options of hmac that can never work are refused at the call", () => {
  test.each<[string, object, string]>([
    ["a hash that is not there", { hash: "md5" }, "sha1, sha256, sha384, sha512"],
    ["a hash in upper case", { hash: "SHA256" }, "sha1, sha256, sha384, sha512"],
    ["an encoding by name", { encoding: "hex" }, "hex, base64, base64url or plainText"],
    ["{timestamp} without a place", { content: "{timestamp}.{body}" }, "timestampHeader"],
    ["a time that is not signed", { timestampHeader: "X-Acme-Time" }, "The time is not signed"],
    ["an id without its kind", { id: "id" }, "header:<name in lower case> or body:<path>"],
    ["an option that does not exist", { algorithm: "sha512" }, 'hmac has no option "algorithm"'],
    ["no header", { header: undefined }, "name the header"],
    ["a header with a space", { header: "X Acme" }, "name the header"],
    ["content that names nothing of the request", { content: "body" }, 'such as "{body}"'],
  ])("%s", (_, change, text) => {
    expect(refusalOf(() => hmac({ header: "X-Acme-Signature", ...change } as HmacOptions))).toContain(text);
  });

  test("so are none", () => {
    expect(refusalOf(() => (hmac as () => unknown)())).toContain("which header holds the signature");
  });

  test("and all that exist are accepted", () => {
    const all: Required<{ [Name in keyof HmacOptions]: HmacOptions[Name] }> = {
      header: "X-Acme-Signature",
      encoding: base64,
      prefix: "",
      pairs: undefined,
      content: "{id}.{timestamp}.{body}",
      hash: "sha512",
      key: textSecret("hmac-sha512"),
      timestampHeader: "X-Acme-Time",
      timestampUnit: "ms",
      toleranceSeconds: 60,
      idHeader: "X-Acme-Id",
      id: "body:id",
      type: "body:type",
      name: "acme",
    };
    hmac(all);
  });
});

test("a signed request fits into a web request as it is", async () => {
  const url = "https://hooks.example.com/in";
  const signed = await signRequest(schemes.stripe, { keys: secret, body: "{}", url });
  const request = new Request(url, { method: signed.method, headers: signed.headers, body: signed.body });
  expect(await createVerifier(schemes.stripe, { keys: secret }).verify(request)).toMatchObject({ scheme: "stripe" });
  expectTypeOf(signed.body).toEqualTypeOf<Uint8Array<ArrayBuffer>>();
  // `fetch` refuses shared memory, so it is copied.
  const shared = new Uint8Array(new SharedArrayBuffer(2)).fill(123);
  const copied = await signRequest(schemes.stripe, { keys: secret, body: shared });
  expect([copied.body.buffer instanceof ArrayBuffer, copied.body]).toEqual([true, Uint8Array.of(123, 123)]);
});

describe("headers given as pairs", () => {
  const verifier = createVerifier(schemes.github, { keys: secret });

  test("are read, in any case", async () => {
    const headers = Object.entries(await sign(schemes.github, { keys: secret, body: "{}" }));
    await verifier.verify({ headers, body: "{}" });
    await verifier.verify({
      headers: headers.map(([name, value]) => [name.toUpperCase(), value] as const),
      body: "{}",
    });
    const repeated = [...headers, ...headers];
    await expectRefusal(verifier.verify({ headers: repeated, body: "{}" }), "header_repeated");
    await verifier.verify({ headers: [...headers, ["__proto__", "x"], ["constructor", "x"]], body: "{}" });
  });

  test("are read from a map and from entries, too", async () => {
    const given = await sign(schemes.github, { keys: secret, body: "{}" });
    const pairs = Object.entries(given).map(([name, value]) => [name.toUpperCase(), value] as const);
    for (const headers of [new Map(pairs), new Map(pairs).entries(), new Headers(given).entries()])
      await verifier.verify({ headers: headers as never, body: "{}" });
  });

  test("are named if they are no pairs", async () => {
    for (const headers of [["x-hub-signature-256", "sha256=00"], [[]], [[1, 2]]])
      await expectRefusal(verifier.verify({ headers: headers as never, body: "{}" }), "request_incomplete");
  });
});
