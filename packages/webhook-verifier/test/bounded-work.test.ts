import { describe, expect, test } from "vitest";
import { schemes } from "../src/all-schemes.ts";
import { bodyWithout } from "../src/body-without.ts";
import type { HeadersLike } from "../src/headers.ts";
import { createVerifier, type Scheme, signRequest } from "../src/index.ts";
import { canonicalField, readDictionary } from "../src/structured-fields.ts";
import { now } from "./support.ts";
import { vectors } from "./vectors/index.ts";
import { ed25519 } from "./vectors/vector.ts";

/** Headers that count how many characters were read from them. Work is counted, not timed. */
const counting = (given: Readonly<Record<string, string>>) => {
  const count = { characters: 0 };
  const headers: HeadersLike = {
    get: (name) => {
      const value = given[name] ?? null;
      count.characters += value?.length ?? 0;
      return value;
    },
  };
  return { headers, count };
};

const named: Readonly<Record<string, Scheme>> = schemes;
const vectorOf = (name: string) => {
  const vector = vectors[name];
  if (vector === undefined) throw new Error(`no vector of ${name}`);
  return vector;
};

/** The longest header that is read. */
const longest = 16_384;

describe("a header that lists many headers as signed", () => {
  const many = Array.from({ length: 8_000 }, () => "a");
  const listed: Readonly<Record<string, (headers: Readonly<Record<string, string>>) => Record<string, string>>> = {
    hook0: (headers) => ({ ...headers, "x-hook0-signature": `t=1,h=${many.join(" ")},v1=00` }),
    contentful: (headers) => ({ ...headers, "x-contentful-signed-headers": many.join(",") }),
    truelayer: (headers) => {
      const header = { alg: "ES512", kid: "k1", tl_version: "2", tl_headers: many.slice(0, 5_000).join(",") };
      const text = Buffer.from(JSON.stringify(header)).toString("base64url");
      return { ...headers, "tl-signature": `${text}..AA` };
    },
    rfc9421: (headers) => ({
      ...headers,
      "signature-input": `sig1=(${many
        .slice(0, 2_000)
        .map((name, at) => `"${name}${at}"`)
        .join(" ")});created=1`,
    }),
  };

  test.each(Object.entries(listed))("of %s does not multiply the headers", async (name, change) => {
    const { request, keys, settings } = vectorOf(name);
    const { headers, count } = counting({ ...change(request.headers), a: "x".repeat(longest) });
    const verifier = createVerifier(named[name] as Scheme, { keys, settings, now: () => now });
    const url = "https://hooks.example.com/in";
    await expect(verifier.verify({ method: "POST", url, ...request, headers })).rejects.toHaveProperty("code");
    expect(count.characters).toBeLessThan(4 * longest);
  });
});

describe("a structured field", () => {
  test("is read up to the length of a header, and refused beyond it", () => {
    const field = (length: number) => `${"a".repeat(length - 4)}=abc`;
    expect(readDictionary(field(longest))?.size).toBe(1);
    expect(readDictionary(field(longest + 1)) === undefined).toBe(true);
    expect(canonicalField("a, ".repeat(350_000).concat("b")) === undefined).toBe(true);
  });

  test.each([[';key="a"'], [";sf"], [";bs"], [""]])("of a megabyte is not read for %s", async (parameter) => {
    const pair = ed25519(7);
    const component = `"example-dict"${parameter}`;
    const settings = { components: [component] };
    const url = "https://hooks.example.com/in";
    const input = { keys: pair.privateKey.export({ format: "pem", type: "pkcs8" }).toString(), body: "{}", url };
    const { headers } = await signRequest(schemes.rfc9421, {
      ...input,
      timestamp: now,
      settings,
      headers: { "example-dict": "a=1" },
    });
    const verifier = createVerifier(schemes.rfc9421, { keys: pair.raw, settings, now: () => now });
    const message = (dictionary: string) => ({
      method: "POST",
      url,
      headers: { ...headers, "example-dict": dictionary },
      body: "{}",
    });
    await verifier.verify(message("a=1"));
    const megabyte = Array.from({ length: 120_000 }, (_, at) => `k${at}=1`).join(", ");
    expect(megabyte.length).toBeGreaterThan(1_000_000);
    await expect(verifier.verify(message(megabyte))).rejects.toMatchObject({ code: "header_malformed" });
  });
});

test("a text that never ends is one word of a body, so that it is looked at once", () => {
  const open = `{"a":"${'\\"'.repeat(500_000)}`;
  expect(String(bodyWithout(Buffer.from(open), ["b"])) === open).toBe(true);
});
