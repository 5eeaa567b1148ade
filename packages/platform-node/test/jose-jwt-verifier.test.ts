import { createHmac, generateKeyPairSync } from "node:crypto";
import { CompactSign } from "jose";
import { describe, expect, test } from "vitest";
import { joseJwtVerifier } from "../src/index.ts";

const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
const jwk = rsa.publicKey.export({ format: "jwk" });
const claims = { sub: "root" };
const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
const sign = (header: object, key = rsa.privateKey): Promise<string> =>
  new CompactSign(new TextEncoder().encode(JSON.stringify(claims)))
    // The library's type allows only headers that make sense.
    .setProtectedHeader(header as { alg: string })
    .sign(key);

describe("a token of somebody else", () => {
  const { verify, read, isUsable } = joseJwtVerifier();

  test("that is not signed at all is refused", async () => {
    for (const alg of ["none", "NONE", "None"]) {
      await expect(verify(`${part({ alg })}.${part(claims)}.`, jwk)).rejects.toThrow("token is not valid");
    }
  });

  test("whose HMAC was made with the public key in any of its forms is refused", async () => {
    const pem = rsa.publicKey.export({ type: "spki", format: "pem" });
    const der = rsa.publicKey.export({ type: "spki", format: "der" });
    for (const secret of [pem, der, JSON.stringify(jwk), String(jwk.n), Buffer.from(String(jwk.n), "base64url")]) {
      const signed = `${part({ alg: "HS256" })}.${part(claims)}`;
      const token = `${signed}.${createHmac("sha256", secret).update(signed).digest("base64url")}`;
      await expect(verify(token, jwk)).rejects.toThrow("token is not valid");
    }
  });

  test("may not use another algorithm than the one that the key names", async () => {
    const token = await sign({ alg: "PS256" });
    expect(await verify(token, jwk)).toEqual(claims);
    await expect(verify(token, { ...jwk, alg: "RS256" })).rejects.toThrow("token is not valid");
    await expect(verify(token, { ...jwk, alg: "HS256" })).rejects.toThrow("token is not valid");
  });

  test("may not bring its own key, nor ask for extensions", async () => {
    const own = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const withKey = await sign({ alg: "RS256", jwk: own.publicKey.export({ format: "jwk" }) }, own.privateKey);
    await expect(verify(withKey, jwk)).rejects.toThrow("token is not valid");
    const critical = `${part({ alg: "RS256", crit: ["x"], x: 1 })}.${part(claims)}.AAAA`;
    expect(read(critical)).toBeUndefined();
  });

  test("is not checked with a key that is too short, or private, or for something else", () => {
    const short = generateKeyPairSync("rsa", { modulusLength: 1024 }).publicKey.export({ format: "jwk" });
    expect([isUsable(jwk), isUsable(short)]).toEqual([true, false]);
    expect(isUsable(rsa.privateKey.export({ format: "jwk" }))).toBe(false);
    expect(isUsable({ ...jwk, key_ops: ["encrypt"] })).toBe(false);
    const x25519 = generateKeyPairSync("x25519").publicKey.export({ format: "jwk" });
    expect(isUsable(x25519)).toBe(false);
    const k1 = generateKeyPairSync("ec", { namedCurve: "secp256k1" }).publicKey.export({ format: "jwk" });
    expect(isUsable(k1)).toBe(false);
  });
});
