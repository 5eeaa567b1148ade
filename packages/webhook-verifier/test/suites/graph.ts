import { constants, createCipheriv, createHmac, publicEncrypt, sign } from "node:crypto";
import { expect, test } from "vitest";
import { createVerifier, type Fetch } from "../../src/index.ts";
import { decryptGraphContent, graphKeys, microsoftGraph } from "../../src/schemes/microsoft-graph.ts";
import { expectRefusal, now } from "../support.ts";
import { otherRsa, pem, rsa } from "../vectors/vector.ts";

const tenant = "84bd8158-6d4d-4958-8b9f-9d6445542f95";
const app = "8e460676-ae3f-4b1e-8790-ee0fb5d6148f";
const url = "https://login.microsoftonline.com/common/discovery/v2.0/keys";

const published: Fetch = async (asked) => ({
  status: asked === url ? 200 : 404,
  headers: { get: () => null },
  text: async () => JSON.stringify({ keys: [{ ...rsa.publicKey.export({ format: "jwk" }), kid: "k1", use: "sig" }] }),
});

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");

/** A token as Microsoft's documentation shows it. */
const token = (changed: object = {}, key = rsa, kid = "k1"): string => {
  const claims = {
    aud: app,
    iss: `https://sts.windows.net/${tenant}/`,
    nbf: now / 1000 - 60,
    exp: now / 1000 + 3600,
    appid: "0bf30f3b-4a52-48df-9a82-234910c4a086",
    tid: tenant,
    ...changed,
  };
  const content = `${part({ alg: "RS256", kid })}.${part(claims)}`;
  return `${content}.${sign("sha256", Buffer.from(content), key.privateKey).toString("base64url")}`;
};

/**
 * Encrypted as the documentation says: AES-256-CBC with the key's first bytes as vector, the key by
 * RSA-OAEP.
 */
const encrypted = (resource: object) => {
  const secret = Buffer.from("0123456789abcdef0123456789abcdef");
  const cipher = createCipheriv("aes-256-cbc", secret, secret.subarray(0, 16));
  const data = Buffer.concat([cipher.update(JSON.stringify(resource)), cipher.final()]);
  return {
    data: data.toString("base64"),
    dataSignature: createHmac("sha256", secret).update(data).digest("base64"),
    dataKey: publicEncrypt(
      { key: otherRsa.publicKey, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: "sha1" },
      secret,
    ).toString("base64"),
    encryptionCertificateId: "cert-1",
  };
};

const delivery = (tokens: unknown, item: object = { encryptedContent: encrypted({ id: "m1" }) }): string =>
  JSON.stringify({
    value: [{ id: "n1", clientState: "state", tenantId: tenant, changeType: "created", ...item }],
    ...(tokens !== undefined && { validationTokens: tokens }),
  });

export const graph = (): void => {
  const receive = (body: string, settings: Record<string, string | string[]> = {}) =>
    createVerifier(microsoftGraph, {
      keys: graphKeys(["old state", "state"], { fetch: published }),
      settings: { appId: app, ...settings },
      now: () => now,
    }).verify({ headers: {}, body });

  test("accepts rich notifications whose tokens are Microsoft's, for this application and of the item's tenant", async () => {
    const accepted = await receive(delivery([token()]), { tenants: [tenant] });
    expect(accepted.items).toMatchObject([{ id: "n1", type: "created" }]);
    await receive(
      delivery([
        token({
          iss: `https://login.microsoftonline.com/${tenant}/v2.0`,
          appid: undefined,
          azp: "0bf30f3b-4a52-48df-9a82-234910c4a086",
        }),
      ]),
    );
    // A retry brings another token with the same notifications.
    const body = delivery([token()]);
    expect((await receive(body)).dedupeKey).toBe((await receive(body)).dedupeKey);
  });

  test("needs no token for items without content, and no setting for receivers who want none", async () => {
    await receive(delivery(undefined, {}));
    await createVerifier(microsoftGraph, { keys: "state", now: () => now }).verify({
      headers: {},
      body: delivery([token({ aud: "other" })]),
    });
  });

  const refused = {
    "none at all": [undefined, "signature_missing"],
    "none of the item's tenant": [[token({ tid: "t2", iss: "https://sts.windows.net/t2/" })], "signature_missing"],
    "another application's": [[token({ aud: "other" })], "claim_mismatch"],
    "another publisher's": [[token({ appid: "other" })], "claim_mismatch"],
    "another issuer's": [[token({ iss: "https://evil.example/" })], "claim_mismatch"],
    "an expired one": [[token({ exp: now / 1000 - 120 })], "timestamp_too_old"],
    "one without an end": [[token({ exp: undefined })], "claim_mismatch"],
    "one from the future": [[token({ nbf: now / 1000 + 120 })], "timestamp_too_new"],
    "one under another key": [[token({}, otherRsa)], "signature_mismatch"],
    "one under an unknown key": [[token({}, rsa, "k2")], "key_unknown"],
    "one that is none": [["a.b.c"], "signature_malformed"],
    "one wrong beside a right one": [[token(), token({ aud: "other" })], "claim_mismatch"],
    "too many": [Array.from({ length: 21 }, () => token()), "body_malformed"],
    "no list": ["x", "body_malformed"],
  } as const;
  for (const [what, [tokens, code]] of Object.entries(refused))
    test(`refuses rich notifications with ${what}`, async () => {
      await expectRefusal(receive(delivery(tokens)), code);
    });

  test("refuses tokens of tenants that are not on the list, and a wrong clientState beside right tokens", async () => {
    await expectRefusal(receive(delivery([token()]), { tenants: ["t2"] }), "claim_mismatch");
    await expectRefusal(
      receive(delivery([token()], { clientState: "guess", encryptedContent: encrypted({}) })),
      "signature_mismatch",
    );
  });

  test("decrypts content with the key of its certificate, and nothing that was changed", async () => {
    const content = encrypted({ id: "m1", body: "ü" });
    const keys = { "cert-1": pem(otherRsa.privateKey) };
    expect(await decryptGraphContent(content, keys)).toEqual({ id: "m1", body: "ü" });
    const { data } = content;
    for (const [changed, code] of [
      [{ data: `${data.startsWith("A") ? "B" : "A"}${data.slice(1)}` }, "digest_mismatch"],
      [{ dataKey: Buffer.alloc(256, 1).toString("base64") }, "digest_mismatch"],
      [{ dataSignature: Buffer.alloc(32).toString("base64") }, "digest_mismatch"],
      [{ data: "!" }, "body_malformed"],
      [{ encryptionCertificateId: "constructor" }, "key_unknown"],
    ] as const)
      await expectRefusal(decryptGraphContent({ ...content, ...changed }, keys), code);
    await expectRefusal(decryptGraphContent(undefined, keys), "key_unknown");
    await expect(decryptGraphContent(content, { "cert-1": "no key" })).rejects.toThrow("PKCS #8");
  });
};
