import { createHmac, createPublicKey } from "node:crypto";
import type { AccessTokenClaims } from "@postern/core/ports";
import { rejectsWith } from "@postern/core/testing";
import {
  type CryptoKey,
  calculateJwkThumbprint,
  decodeJwt,
  decodeProtectedHeader,
  generateKeyPair,
  jwtVerify,
  SignJWT,
  UnsecuredJWT,
} from "jose";
import { beforeAll, describe, expect, test } from "vitest";
import { joseSigner } from "../src/index.ts";
import { privateKeyOf } from "../src/token-key.ts";

const secretKey = new Uint8Array(32).fill(7);
const signer = joseSigner({ secretKey });
const now = 1_767_225_600;
const claims: AccessTokenClaims = {
  issuer: "https://api.example.com",
  audience: "https://api.example.com/api",
  subject: "u",
  clientId: "c",
  tokenId: "j",
  sessionId: "s",
  issuedAt: now,
  expiresAt: now + 600,
};
const key = await signer.newSigningKey();
const { kid } = key;
const privateKey = privateKeyOf(key);
const publicKey = createPublicKey(privateKey);
const knownKey = async (name: string) => (name === kid ? key : undefined);
const read = (token: string, at = now) => signer.readAccessToken(token, at, knownKey);

interface Forgery {
  readonly header?: Record<string, unknown>;
  readonly payload?: Record<string, unknown>;
}

/** A token signed with our own key that differs from a right one only in what is given. */
const tokenWith = ({ header = {}, payload = {} }: Forgery): Promise<string> =>
  new SignJWT({
    iss: claims.issuer,
    aud: claims.audience,
    sub: "u",
    client_id: "c",
    sid: "s",
    iat: now,
    exp: now + 600,
    jti: "j",
    ...payload,
  })
    .setProtectedHeader({ alg: "ES256", typ: "at+jwt", kid, ...header })
    .sign(privateKey);

const isRefused = (token: string) => rejectsWith("invalid_token", () => read(token));

describe("access tokens", () => {
  let foreignKey: CryptoKey;
  beforeAll(async () => {
    foreignKey = (await generateKeyPair("ES256")).privateKey;
  });

  test("carry what RFC 9068 asks for", async () => {
    const token = await signer.issueAccessToken({ ...claims, scope: "posts:read posts:write" }, key);
    expect(decodeProtectedHeader(token)).toEqual({ alg: "ES256", typ: "at+jwt", kid });
    expect(decodeJwt(token)).toEqual({
      iss: "https://api.example.com",
      aud: "https://api.example.com/api",
      client_id: "c",
      sub: "u",
      sid: "s",
      scope: "posts:read posts:write",
      iat: now,
      exp: now + 600,
      jti: "j",
    });
    await jwtVerify(token, publicKey, { currentDate: new Date(now * 1000) });
  });

  test("name their key by its thumbprint (RFC 7638)", async () => {
    expect(await calculateJwkThumbprint({ ...key.publicKey })).toBe(kid);
  });

  test("are accepted if the forger of this test changes nothing, so that each refusal below has one reason", async () => {
    expect(await read(await tokenWith({}))).toEqual(claims);
  });

  test("are refused with another type, or without a claim", async () => {
    for (const header of [{ typ: "JWT" }, { typ: undefined }, { typ: "rt+jwt" }])
      await isRefused(await tokenWith({ header }));
    const payloads = [
      { aud: ["one", "two"] },
      { client_id: undefined },
      { scope: 7 },
      { exp: undefined },
      { iat: undefined },
      { sub: undefined },
      { jti: undefined },
      { sub: 7 },
      { sid: {} },
      { iss: undefined },
      { aud: undefined },
    ];
    for (const payload of payloads) await isRefused(await tokenWith({ payload }));
  });

  test("are refused under a foreign key, even if the header contains that key", async () => {
    const forged = new SignJWT(decodeJwt(await tokenWith({})));
    await isRefused(await forged.setProtectedHeader({ alg: "ES256", typ: "at+jwt", kid }).sign(foreignKey));
    const own = new SignJWT(decodeJwt(await tokenWith({})));
    const jwk = { kty: "EC", crv: "P-256", x: "AA", y: "AA" };
    await isRefused(await own.setProtectedHeader({ alg: "ES256", typ: "at+jwt", jwk }).sign(foreignKey));
  });

  test("are refused with algorithm `none`, and with our public key as an HMAC secret", async () => {
    const payload = decodeJwt(await tokenWith({}));
    await isRefused(new UnsecuredJWT(payload).encode());
    const head = Buffer.from('{"alg":"HS256","typ":"at+jwt"}').toString("base64url");
    const signed = `${head}.${Buffer.from(JSON.stringify(payload)).toString("base64url")}`;
    for (const secret of [
      publicKey.export({ format: "pem", type: "spki" }),
      publicKey.export({ format: "der", type: "spki" }),
    ]) {
      await isRefused(`${signed}.${createHmac("sha256", secret).update(signed).digest("base64url")}`);
    }
    const none = Buffer.from('{"alg":"none","typ":"at+jwt"}').toString("base64url");
    await isRefused(`${none}.${signed.split(".")[1]}.${"A".repeat(86)}`);
  });

  test("are refused when they name another key than the one that signed them", async () => {
    const other = await signer.newSigningKey();
    const token = await tokenWith({ header: { kid: other.kid } });
    const both = async (name: string) => [key, other].find((one) => one.kid === name);
    await rejectsWith("invalid_token", () => signer.readAccessToken(token, now, both));
    for (const odd of ["", "../x", "a".repeat(65), 7, null]) await isRefused(await tokenWith({ header: { kid: odd } }));
  });

  test("expire on time, whether they are remembered or not", async () => {
    const token = await signer.issueAccessToken(claims, key);
    await read(token);
    await rejectsWith("token_expired", () => read(token, now + 600));
    const fresh = joseSigner({ secretKey });
    await rejectsWith("token_expired", () => fresh.readAccessToken(token, now + 600, knownKey));
  });
});

describe("cursors", () => {
  test("have one known form", async () => {
    expect(await signer.sealCursor('["2026-01-01T00:00:00.000Z",17]')).toMatchInlineSnapshot(
      `"AVsiMjAyNi0wMS0wMVQwMDowMDowMC4wMDBaIiwxN13XrRc-YsdmAARLHugUj847"`,
    );
  });

  test("refuse content that would not read back", async () => {
    await expect(signer.sealCursor("x".repeat(2_049))).rejects.toThrow(TypeError);
    await expect(signer.sealCursor("\ud800")).rejects.toThrow(TypeError);
  });
});

describe("joseSigner", () => {
  test("refuses a secret key of another length", () => {
    for (const length of [0, 16, 31, 33, 64]) {
      expect(() => joseSigner({ secretKey: new Uint8Array(length) })).toThrow(TypeError);
    }
  });
});

describe("a signer with a previous key", () => {
  const newKey = new Uint8Array(32).fill(8);
  const both = joseSigner({ secretKey: newKey, previousSecretKeys: [secretKey] });

  test("opens cursors of both keys, and seals with the new one", async () => {
    expect(await both.openCursor(await signer.sealCursor("a place"))).toBe("a place");
    const alone = joseSigner({ secretKey: newKey });
    expect(await alone.openCursor(await both.sealCursor("a place"))).toBe("a place");
  });

  test("refuses cursors of a third key", async () => {
    const third = joseSigner({ secretKey: new Uint8Array(32).fill(9) });
    const cursor = await third.sealCursor("a place");
    await rejectsWith("invalid_cursor", () => both.openCursor(cursor));
  });
});
