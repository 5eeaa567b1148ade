import { createVerifier, type Scheme } from "@postern/webhook-verifier";
import { schemes } from "@postern/webhook-verifier/schemes";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { outsideOf, parametersOf, queryText } from "../src/outside-body.ts";
import { defineProvider, type Provider } from "../src/provider.ts";

/** Every beginning that a name can have. */
const everything = [..."abcdefghijklmnopqrstuvwxyz"].map((letter) => `${letter}*`);
const secret = "what nobody may read";

const providerOf = (scheme: Scheme, headers: readonly string[] = []): Provider => {
  const { credentials } = scheme;
  return { name: scheme.name, verifier: { scheme, credentials } as Provider["verifier"], headers };
};

const took = (provider: Provider, headers: Record<string, string | string[]>, search = "") =>
  outsideOf(provider, { url: `https://h.example/in${search}`, headers, body: Uint8Array.of(1) }, undefined);

describe("what proves a sender is never kept, whatever a configuration names", () => {
  test.each(Object.entries<Scheme>(schemes))("%s", (_, scheme) => {
    const places = [...scheme.credentials, "header:authorization", "header:proxy-authorization", "header:cookie"];
    const named = (kind: string) => places.flatMap((one) => (one.startsWith(kind) ? [one.slice(kind.length)] : []));
    const headers = Object.fromEntries(named("header:").map((name) => [name, secret]));
    const parameters = named("query:").flatMap((name) => [
      name,
      name.toUpperCase(),
      `%${name.charCodeAt(0).toString(16)}${name.slice(1)}`,
    ]);
    const search = `?tenant=acme&${parameters.map((name) => `${name}=${encodeURIComponent(secret)}`).join("&")}`;
    const names = [...everything, ...Object.keys(headers)];
    const kept = took(providerOf(scheme, names), { ...headers, "x-kept": "yes" }, search);
    expect(decodeURIComponent(JSON.stringify(kept))).not.toContain(secret);
    expect(kept).toMatchObject({ headers: { "x-kept": "yes" }, query: expect.stringContaining("tenant=acme") });
  });

  test("a header and a parameter that only a setting names", () => {
    for (const place of ["header", "query"]) {
      const verifier = createVerifier(schemes.token, { keys: secret, settings: { [place]: "x-own" } });
      const provider = defineProvider({ name: "own", verifier, headers: ["x-*"] });
      const kept = took(
        provider,
        place === "header" ? { "x-own": secret } : {},
        place === "query" ? "?x-own=s&a=1" : "?a=1",
      );
      expect(kept).toEqual({ headers: {}, query: "a=1" });
    }
  });
});

test("a scheme names headers, a provider adds some by name and by beginning, and nothing else is kept", () => {
  const sent = {
    "x-shopify-shop-domain": "my-dev-store.myshopify.com",
    "x-shopify-hmac-sha256": "s",
    "x-acme-a": "1",
    "x-acme-b": ["2", "3"],
    "x-own": "4",
    "x-other": "5",
  };
  expect(took(providerOf(schemes.shopify), sent).headers).toEqual({
    "x-shopify-shop-domain": sent["x-shopify-shop-domain"],
  });
  expect(took(providerOf(schemes.shopify, ["x-own", "x-acme-*", "x-shopify-*"]), sent).headers).toEqual({
    "x-shopify-shop-domain": sent["x-shopify-shop-domain"],
    "x-own": "4",
    "x-acme-a": "1",
    "x-acme-b": "2, 3",
  });
});

test("what is too long or too much is left out whole, and named", () => {
  const provider = providerOf(schemes.shopify, ["x-*"]);
  const many = Object.fromEntries(Array.from({ length: 80 }, (_, n) => [`x-${n}`, "v"]));
  const kept = took(
    provider,
    { "x-long": "v".repeat(513), "x-fits": "v".repeat(512), ...many },
    `?q=${"v".repeat(4095)}`,
  );
  expect(Object.keys(kept.headers)).toHaveLength(32);
  expect(kept.headers["x-fits"]).toHaveLength(512);
  expect(kept.query).toBeUndefined();
  expect(kept.leftOut).toHaveLength(33);
  expect(kept.leftOut).toEqual(expect.arrayContaining(["header:x-long", "header:x-60", "query"]));
  expect(took(provider, {}, `?q=${"v".repeat(4094)}`)).toEqual({ headers: {}, query: `q=${"v".repeat(4094)}` });
});

test("a provider names headers in lower case, and all of them by no name", () => {
  const verifier = createVerifier(schemes.token, { keys: secret });
  for (const wrong of ["X-Shop", "*", "x shop", "", "x*y"])
    expect(() => defineProvider({ name: "a", verifier, headers: [wrong] })).toThrow(`"${wrong}" is neither`);
  expect(() => defineProvider({ name: "a", verifier, headers: Array(33).fill("x-a") })).toThrow("up to 32");
});

test("parameters come back from their query, and from any text something comes back", () => {
  expect(parametersOf("a=1&b=%20x+y&a=2&c&__proto__=p")).toEqual(
    Object.fromEntries([
      ["a", ["1", "2"]],
      ["b", " x y"],
      ["c", ""],
      ["__proto__", "p"],
    ]),
  );
  fc.assert(
    fc.property(fc.webQueryParameters(), (query) => {
      const parameters = parametersOf(query);
      expect(parametersOf(queryText(parameters))).toEqual(parameters);
    }),
  );
});
