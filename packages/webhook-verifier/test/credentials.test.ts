import { describe, expect, test } from "vitest";
import { schemes } from "../src/all-schemes.ts";
import { createVerifier, defineScheme, hex, type Scheme, signRequest, textSecret } from "../src/index.ts";
import { vectors } from "./vectors/index.ts";
import { now, type Vector } from "./vectors/vector.ts";

const all = Object.entries<Scheme>(schemes).map(([name, scheme]) => {
  const vector = vectors[name];
  if (vector === undefined) throw new TypeError(`${name} has no vector.`);
  return [name, scheme, vector] as const;
});

const verifierOf = (scheme: Scheme, { keys, settings, allowShort, now: at = now }: Vector) =>
  createVerifier(scheme, { keys, settings, allowShort, now: () => at });

const covers = (pattern: string, name: string): boolean =>
  pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern;

/** A genuine request without what stands at these places. */
const without = ({ request }: Vector, places: readonly string[]) => {
  const url = new URL(request.url ?? "https://hooks.example.com/");
  for (const name of [...url.searchParams.keys()]) if (places.includes(`query:${name}`)) url.searchParams.delete(name);
  const headers = Object.fromEntries(
    Object.entries(request.headers).filter(([name]) => !places.includes(`header:${name.toLowerCase()}`)),
  );
  return { ...request, headers, ...(request.url !== undefined && { url: url.href }) };
};

/** A header's texts: as it is, and behind the name of an Authorization scheme as base64. */
const readings = (value: string): readonly string[] => [
  value,
  Buffer.from(value.split(" ").at(-1) ?? "", "base64").toString(),
];

describe("where secrets and signatures stand", () => {
  test.each(all)("%s proves nothing without its credentials", async (_, scheme, vector) => {
    const { credentials, verify } = verifierOf(scheme, vector);
    expect(credentials).toEqual(credentials.map((place) => place.replace(/^header:.*/, (one) => one.toLowerCase())));
    expect(credentials.every((place) => /^(header|query):./.test(place))).toBe(true);
    const bare = without(vector, credentials);
    if (credentials.some((place) => place.startsWith("header:")) || bare.url !== vector.request.url)
      await expect(verify(bare)).rejects.toMatchObject({ name: "WebhookVerificationError" });
    // Without any such place it stands in the body.
    else await expect(verify({ ...bare, body: "" })).rejects.toMatchObject({ name: "WebhookVerificationError" });
  });

  test.each(all)("%s shows no secret at any other place", (_, scheme, vector) => {
    const { credentials } = verifierOf(scheme, vector);
    const { headers, url } = without(vector, credentials);
    const secrets = [vector.keys].flat().filter((key) => typeof key === "string");
    for (const secret of secrets) {
      for (const value of Object.values(headers))
        expect(readings(value).filter((text) => text.includes(secret))).toEqual([]);
      expect(decodeURIComponent(url ?? "")).not.toContain(secret);
    }
  });

  test.each(all)("%s changes only credentials and digests with what it signs", async (_, scheme, vector) => {
    const again = vector.signing ?? vector.resigning;
    if (again === undefined || !scheme.covered.includes("body")) return;
    const { method, url, body } = vector.request;
    const signed = (content: string | Uint8Array) =>
      signRequest(scheme, {
        url,
        ...(method !== undefined && { method }),
        timestamp: now,
        id: "id-1",
        ...again,
        body: content,
      });
    const text = Buffer.from(again.body ?? body).toString();
    const changed = text.startsWith("{") ? text.replace("{", '{"a":1,') : `a=1&${text}`;
    const [one, two] = [await signed(text), await signed(changed)];
    const differing = Object.keys(one.headers).filter((name) => one.headers[name] !== two.headers[name]);
    const { credentials } = verifierOf(scheme, vector);
    expect(differing.filter((name) => !credentials.includes(`header:${name.toLowerCase()}`))).toEqual(
      differing.filter((name) => name.toLowerCase() === "content-digest"),
    );
  });

  test.each(all)("%s keeps no credential among its headers", (_, scheme) => {
    for (const name of scheme.headers ?? []) {
      expect(name).toMatch(/^[a-z0-9-]+\*?$/);
      const places = [...scheme.credentials, "header:authorization", "header:proxy-authorization", "header:cookie"];
      expect(places.filter((place) => covers(`header:${name}`, place))).toEqual([]);
    }
  });

  test("a setting can name the place of a secret", () => {
    const { token, "azure-event-grid": azure } = schemes;
    const credentials = (scheme: Scheme, settings: Record<string, string>) =>
      createVerifier(scheme, { keys: "a secret of sixteen bytes or more", settings }).credentials;
    expect(credentials(token, {})).toEqual(["header:authorization"]);
    expect(credentials(token, { header: "X-Goog-Channel-Token" })).toContain("header:x-goog-channel-token");
    expect(credentials(token, { query: "Key" })).toContain("query:Key");
    expect(credentials(azure, { query: "code" })).toContain("query:code");
  });

  test("a layout gives the headers of its signatures, and takes further places", () => {
    const acme = defineScheme({
      name: "acme",
      key: textSecret("hmac-sha256"),
      signature: { header: ["X-Acme-Signature", "X-Acme-Old"], encoding: hex },
      signed: "{body}",
      methods: ["PUT"],
      headers: ["x-acme-shop"],
      credentials: ["query:token"],
    });
    expect(acme).toMatchObject({
      methods: ["PUT"],
      headers: ["x-acme-shop"],
      credentials: ["header:x-acme-signature", "header:x-acme-old", "query:token"],
    });
  });
});
