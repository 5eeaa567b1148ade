import assert from "node:assert/strict";
import type { ForeignJwk, JwtClaims, JwtVerifier } from "../ports/jwt-verifier.ts";
import { alterationsOf } from "./altered-text.ts";
import type { Contract } from "./contract.ts";
import { rejectsWith } from "./rejects-with.ts";

/** A party whose tokens the verifier checks. */
export interface JwtSender {
  readonly publicKey: ForeignJwk;
  /** Signs as this party does; `header` adds to `alg` and `kid`. */
  sign(claims: JwtClaims, header?: Readonly<Record<string, unknown>>): Promise<string>;
}

/** A verifier with two parties of different keys under the same `kid`. */
export interface JwtVerifierSubject {
  readonly verifier: JwtVerifier;
  readonly kid: string;
  readonly sender: JwtSender;
  readonly stranger: JwtSender;
}

const claims = { iss: "https://a.example", aud: ["x", "y"], sub: "Ünï ☃", exp: 1, nested: { list: [1, null, true] } };

/** What every `JwtVerifier` promises. */
export const jwtVerifierContract: Contract<JwtVerifierSubject> = {
  "gives the claims of a token that the key has signed, however old they are": async ({ verifier, sender }) => {
    assert.deepEqual(await verifier.verify(await sender.sign(claims), sender.publicKey), claims);
  },
  "tells what a token says about itself without any key": async ({ verifier, kid, sender }) => {
    const said = verifier.read(await sender.sign(claims, { typ: "at+jwt" }));
    assert.deepEqual([said?.keyId, said?.type, said?.claims], [kid, "at+jwt", claims]);
    assert.match(said?.algorithm ?? "", /^[A-Z]/);
  },
  "refuses a token of another key, also under the same name": async ({ verifier, sender, stranger }) => {
    const token = await stranger.sign(claims);
    await rejectsWith("invalid_token", () => verifier.verify(token, sender.publicKey));
  },
  "refuses a token of which one part was changed or exchanged": async ({ verifier, sender }) => {
    const parts = (await sender.sign(claims)).split(".");
    const others = (await sender.sign({ ...claims, sub: "root" })).split(".");
    for (const index of [1, 2]) {
      const exchanged = parts.map((part, at) => (at === index ? (others[at] ?? "") : part)).join(".");
      await rejectsWith("invalid_token", () => verifier.verify(exchanged, sender.publicKey));
    }
    const [head = "", body = "", proof = ""] = parts;
    for (const altered of ["", ...alterationsOf(proof)]) {
      const text = `${head}.${body}.${altered}`;
      await rejectsWith("invalid_token", () => verifier.verify(text, sender.publicKey));
    }
  },
  "refuses whatever is no signed token": async ({ verifier, sender }) => {
    const token = await sender.sign(claims);
    for (const text of ["", ".", "..", "a.b.c", "mt_0", `${token}.x`, ` ${token}`, "x".repeat(20_000), "☃.☃.☃"]) {
      assert.equal(verifier.read(text), undefined, text.slice(0, 40));
      await rejectsWith("invalid_token", () => verifier.verify(text, sender.publicKey));
    }
  },
  "refuses a token of more than 16,384 characters": async ({ verifier, sender }) => {
    const token = await sender.sign({ ...claims, long: "x".repeat(16_384) });
    assert.equal(verifier.read(token), undefined);
    await rejectsWith("invalid_token", () => verifier.verify(token, sender.publicKey));
  },
  "uses public keys for signatures, and no others": async ({ verifier, sender: { publicKey } }) => {
    assert.equal(verifier.isUsable(publicKey), true);
    assert.equal(verifier.isUsable({ ...publicKey, use: "sig" }), true);
    const others = [
      {},
      { kty: "oct", k: "AAAA" },
      { ...publicKey, use: "enc" },
      { ...publicKey, kty: "unknown" },
      { ...publicKey, d: "AAAA" },
    ];
    for (const key of others) assert.equal(verifier.isUsable(key), false, JSON.stringify(key));
  },
};
