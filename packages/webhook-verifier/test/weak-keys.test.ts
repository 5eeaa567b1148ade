import { generateKeyPairSync } from "node:crypto";
import { describe, expect, test } from "vitest";
import { schemes } from "../src/all-schemes.ts";
import { createVerifier, type Keys, type Scheme, sign } from "../src/index.ts";
import { p256, p521, pem, rsa } from "./vectors/vector.ts";

const build = (scheme: Scheme, keys: Keys, allowShort?: boolean) => createVerifier(scheme, { keys, allowShort });

const expectInvalid = (scheme: Scheme, keys: Keys, allowShort?: boolean): void =>
  expect(() => build(scheme, keys, allowShort)).toThrow(
    expect.objectContaining({ name: "WebhookConfigError", code: "key_invalid" }),
  );

const der = (tag: number, ...parts: readonly Uint8Array[]): Buffer => {
  const body = Buffer.concat(parts);
  const head = body.length < 128 ? [body.length] : [0x82, body.length >> 8, body.length & 255];
  return Buffer.concat([Buffer.from([tag, ...head]), body]);
};

/** SPKI of an RSA key with any numbers. */
const rsaSpki = (modulus: Buffer, exponent: Buffer): Buffer =>
  der(
    0x30,
    der(0x30, Buffer.from("06092a864886f70d0101010500", "hex")),
    der(0x03, Buffer.from([0]), der(0x30, der(0x02, modulus), der(0x02, exponent))),
  );

describe("Ed25519 points of small order", () => {
  // The list in libsodium (crypto_core/ed25519/ref10): the points of orders 1, 2, 4 and 8, and
  // spellings of them that are not canonical. Each also with the sign bit set.
  const points = [
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0100000000000000000000000000000000000000000000000000000000000000",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  ].flatMap((hex) => {
    const signed = Buffer.from(hex, "hex");
    signed[31] = (signed[31] ?? 0) | 0x80;
    return [Buffer.from(hex, "hex"), signed];
  });

  for (const point of points)
    test(`are refused in every notation: ${point.toString("hex")}`, () => {
      const spki = Buffer.concat([Buffer.from("302a300506032b6570032100", "hex"), point]);
      const jwk = { kty: "OKP", crv: "Ed25519", x: point.toString("base64url") };
      const forms = [point, point.toString("hex"), point.toString("base64"), spki, spki.toString("base64"), jwk];
      for (const key of forms)
        for (const name of ["discord", "telnyx", "rfc9421"] as const) expectInvalid(schemes[name], key);
      expectInvalid(schemes["standard-webhooks"], `whpk_${point.toString("base64")}`);
    });

  test("are refused, and other keys are not, nor changed", () => {
    for (let index = 0; index < 50; index++) {
      const { publicKey } = generateKeyPairSync("ed25519");
      const raw = publicKey.export({ format: "der", type: "spki" }).subarray(-32);
      const before = raw.toString("hex");
      build(schemes.discord, raw);
      expect(raw.toString("hex")).toBe(before);
    }
  });
});

describe("RSA keys", () => {
  const { n: modulus } = rsa.publicKey.export({ format: "jwk" }) as { n: string };
  const n = Buffer.from(modulus, "base64url");
  const zero = Buffer.from([0]);

  test("with an exponent with which anybody could sign are refused", () => {
    // With e = 1 the signature is the padded digest itself, which needs no private key.
    for (const exponent of ["", "00", "01", "02", "0001", "010000"]) {
      expectInvalid(schemes.wise, rsaSpki(Buffer.concat([zero, n]), Buffer.from(exponent, "hex")));
      expectInvalid(schemes.wise, { kty: "RSA", n: modulus, e: Buffer.from(exponent, "hex").toString("base64url") });
    }
    for (const exponent of ["03", "010001"])
      build(schemes.wise, rsaSpki(Buffer.concat([zero, n]), Buffer.from(exponent, "hex")));
  });

  test("under 2048 bits are refused, also with zeros in front", () => {
    const e = Buffer.from("010001", "hex");
    const bits = (length: number): Buffer => {
      const number = Buffer.alloc(Math.ceil(length / 8), 0xff);
      number[0] = 0xff >> (number.length * 8 - length);
      return number;
    };
    for (const length of [512, 1024, 2040, 2047]) {
      expectInvalid(schemes.wise, rsaSpki(Buffer.concat([zero, bits(length)]), e));
      const padded = Buffer.concat([Buffer.alloc(200), bits(length)]);
      expectInvalid(schemes.wise, { kty: "RSA", n: padded.toString("base64url"), e: "AQAB" });
    }
    build(schemes.wise, rsaSpki(Buffer.concat([zero, bits(2048)]), e));
  });
});

describe("a key of a kind that a scheme does not use", () => {
  const kindOf = (algorithm: string): string => {
    const [family = "", curve = ""] = algorithm.split("-");
    return family === "ecdsa" ? curve : family;
  };
  const pairs = { rsa, p256, p521, ed25519: generateKeyPairSync("ed25519") };
  const asymmetric = Object.values<Scheme>(schemes).filter(({ key }) => !key.secret);

  test("is all that is left out: weak keys are refused by every scheme that takes keys of their kind", () => {
    const { n } = rsa.publicKey.export({ format: "jwk" }) as { n: string };
    const modulus = Buffer.concat([Buffer.from([0]), Buffer.from(n, "base64url")]);
    const point = `01${"00".repeat(31)}`;
    const using = (kind: string) =>
      asymmetric.filter(({ key }) => key.algorithms.some((used) => kindOf(used) === kind));
    expect(using("rsa").length).toBeGreaterThan(8);
    for (const scheme of using("rsa"))
      for (const key of [rsaSpki(modulus, Buffer.from([1])), { kty: "RSA", n, e: "AQ" }])
        expectInvalid({ ...scheme, settings: undefined }, key);
    expect(using("ed25519").length).toBeGreaterThan(2);
    for (const scheme of using("ed25519")) expectInvalid(scheme, point);
  });

  for (const [kind, { publicKey }] of Object.entries(pairs))
    test(`is refused in every notation: ${kind}`, () => {
      const spki = publicKey.export({ format: "der", type: "spki" });
      const jwk = publicKey.export({ format: "jwk" }) as { kty: string };
      const bare =
        kind === "rsa"
          ? publicKey.export({ format: "der", type: "pkcs1" })
          : kind === "ed25519"
            ? spki.subarray(-32)
            : spki.subarray(-65);
      const others = asymmetric.filter(({ key }) => !key.algorithms.some((used) => kindOf(used) === kind));
      expect(others.length).toBeGreaterThan(8);
      for (const scheme of others)
        for (const key of [spki, spki.toString("hex"), pem(publicKey), bare, bare.toString("base64"), jwk])
          expectInvalid({ ...scheme, settings: undefined }, key);
    });
});

describe("secrets", () => {
  const withText = Object.values<Scheme>(schemes).filter(
    ({ key }) => key.secret && key.algorithms[0]?.startsWith("hmac") && !key.about.includes("hex digits"),
  );

  test("that are a public key's PEM are refused, also by RFC 9421 and as bytes", () => {
    const text = pem(rsa.publicKey);
    for (const key of [text, text.trim(), Buffer.from(text)]) {
      for (const scheme of withText) if (!scheme.key.algorithms.includes("ed25519")) expectInvalid(scheme, key, true);
      expectInvalid(schemes.rfc9421, { key, algorithm: "hmac-sha256" }, true);
    }
    const certificate = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----";
    expectInvalid(schemes.github, certificate);
  });

  test("that are the words for a variable that is not set are refused, short ones allowed or not", () => {
    for (const word of ["undefined", "null"])
      for (const allowShort of [true, false]) {
        expectInvalid(schemes.github, `${word}`, allowShort);
        expectInvalid(schemes.github, [word], allowShort);
        expectInvalid(schemes["gitlab-token"], word, allowShort);
      }
  });

  test("under 16 bytes are refused unless short ones are allowed", async () => {
    for (const short of ["a", "fifteen bytes..", Buffer.alloc(15, 1)]) {
      expectInvalid(schemes.github, short);
      const headers = await sign(schemes.github, { keys: short, body: "{}" });
      await build(schemes.github, short, true).verify({ headers, body: "{}" });
    }
    build(schemes.github, "sixteen bytes...");
    expectInvalid(schemes["hubspot-v1"], "short");
    expectInvalid(schemes.adyen, "00".repeat(15));
    build(schemes.adyen, "00".repeat(16));
    // A token is compared and signs nothing: no message tells anything about it.
    build(schemes["gitlab-token"], "a token");
  });

  test("may be as short as the sender makes them", async () => {
    const headers = await sign(schemes.dropbox, { keys: "fifteen bytes..", body: "{}" });
    await build(schemes.dropbox, "fifteen bytes..").verify({ headers, body: "{}" });
    expectInvalid(schemes.dropbox, "fourteen bytes");
  });

  test("that a source hands out are held to the same", async () => {
    const headers = await sign(schemes.github, { keys: "short", body: "{}" });
    const keys = { find: () => [{ key: "short" }] };
    await expect(build(schemes.github, keys).verify({ headers, body: "{}" })).rejects.toMatchObject({
      code: "key_unknown",
    });
    await build(schemes.github, keys, true).verify({ headers, body: "{}" });
  });
});
