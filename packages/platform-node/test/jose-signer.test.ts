import { createHmac, createPublicKey } from "node:crypto";
import { rejectsWith } from "@postern/core/testing";
import {
  type CryptoKey,
  decodeJwt,
  decodeProtectedHeader,
  generateKeyPair,
  jwtVerify,
  SignJWT,
  UnsecuredJWT,
} from "jose";
import { beforeAll, describe, expect, test } from "vitest";
import { joseSigner } from "../src/index.ts";
import { tokenKey } from "../src/token-key.ts";

const secretKey = new Uint8Array(32).fill(7);
const signer = joseSigner({ secretKey });
const now = 1_767_225_600;
const claims = { userId: "u", sessionId: "s", issuedAt: now, expiresAt: now + 600 };
const { privateKey, publicKey, kid } = tokenKey(secretKey);

interface Forgery {
  readonly header?: Record<string, unknown>;
  readonly payload?: Record<string, unknown>;
}

/** A token signed with our own key that differs from a right one only in what is given. */
const tokenWith = ({ header = {}, payload = {} }: Forgery): Promise<string> =>
  new SignJWT({
    iss: "postern",
    aud: "postern-api",
    sub: "u",
    sid: "s",
    iat: now,
    exp: now + 600,
    jti: "j",
    ...payload,
  })
    .setProtectedHeader({ alg: "ES256", typ: "at+jwt", kid, ...header })
    .sign(privateKey);

const isRefused = (token: string) => rejectsWith("invalid_token", () => signer.readAccessToken(token, now));

describe("access tokens", () => {
  let foreignKey: CryptoKey;
  beforeAll(async () => {
    foreignKey = (await generateKeyPair("ES256")).privateKey;
  });

  test("carry what RFC 9068 asks for", async () => {
    const token = await signer.issueAccessToken(claims);
    expect(decodeProtectedHeader(token)).toEqual({ alg: "ES256", typ: "at+jwt", kid });
    const { jti, ...payload } = decodeJwt(token);
    expect(payload).toEqual({
      iss: "postern",
      aud: "postern-api",
      client_id: "postern",
      sub: "u",
      sid: "s",
      iat: now,
      exp: now + 600,
    });
    expect(jti).toMatch(/^[\w-]{36}$/);
    await jwtVerify(token, publicKey, { currentDate: new Date(now * 1000) });
  });

  test("are the same key's on every node: known public key of a known secret", () => {
    expect(createPublicKey(privateKey).export({ format: "jwk" })).toEqual(publicKey.export({ format: "jwk" }));
    expect({ kid, ...publicKey.export({ format: "jwk" }) }).toMatchInlineSnapshot(`
      {
        "crv": "P-256",
        "kid": "1PoQ9Ms7H43ukyFoX38SVuXkDv7utIrMqSw5fJ9tOKU",
        "kty": "EC",
        "x": "H_pjazr1rX77G8sLHRLxAGfnnTkhvFaNLhT0hXVNzxw",
        "y": "MbPq5gOGESKWaMf2kghtpVxtfkmaFchqtxFAEef98Uw",
      }
    `);
  });

  test("are recognised by another instance with the same secret", async () => {
    const token = await signer.issueAccessToken(claims);
    expect(await joseSigner({ secretKey }).readAccessToken(token, now)).toEqual(claims);
  });

  test("are taken when forged with nothing changed, so that the refusals below have one reason each", async () => {
    expect(await signer.readAccessToken(await tokenWith({}), now)).toEqual(claims);
  });

  test("are refused with another type, issuer, audience, or without a claim", async () => {
    for (const header of [{ typ: "JWT" }, { typ: undefined }, { typ: "rt+jwt" }])
      await isRefused(await tokenWith({ header }));
    const payloads = [
      { iss: "other" },
      { aud: "other" },
      { aud: ["other"] },
      { exp: undefined },
      { iat: undefined },
      { sub: undefined },
      { sid: undefined },
      { jti: undefined },
      { sub: 7 },
      { sid: {} },
      { iss: undefined },
      { aud: undefined },
    ];
    for (const payload of payloads) await isRefused(await tokenWith({ payload }));
  });

  test("are refused under a foreign key, also when the header brings that key along", async () => {
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

  test("end when they end, remembered or not", async () => {
    const token = await signer.issueAccessToken(claims);
    await signer.readAccessToken(token, now);
    await rejectsWith("token_expired", () => signer.readAccessToken(token, now + 600));
    await rejectsWith("token_expired", () => joseSigner({ secretKey }).readAccessToken(token, now + 600));
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

describe("a signer with another key's tokens and cursors to read", () => {
  const newKey = new Uint8Array(32).fill(8);
  const both = joseSigner({ secretKey: newKey, previousSecretKeys: [secretKey] });

  test("reads those of both keys and makes those of the new one", async () => {
    expect(await both.readAccessToken(await signer.issueAccessToken(claims), now)).toEqual(claims);
    expect(await both.openCursor(await signer.sealCursor("a place"))).toBe("a place");
    const alone = joseSigner({ secretKey: newKey });
    expect(await alone.readAccessToken(await both.issueAccessToken(claims), now)).toEqual(claims);
    expect(await alone.openCursor(await both.sealCursor("a place"))).toBe("a place");
  });

  test("refuses those of a third one", async () => {
    const third = joseSigner({ secretKey: new Uint8Array(32).fill(9) });
    const token = await third.issueAccessToken(claims);
    await rejectsWith("invalid_token", () => both.readAccessToken(token, now));
    const cursor = await third.sealCursor("a place");
    await rejectsWith("invalid_cursor", () => both.openCursor(cursor));
  });
});
