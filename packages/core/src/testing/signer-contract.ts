import assert from "node:assert/strict";
import type { AccessTokenClaims, Signer } from "../ports/signer.ts";
import { alterationsOf } from "./altered-text.ts";
import type { Contract } from "./contract.ts";
import { rejectsWith } from "./rejects-with.ts";

export interface SignerSubject {
  readonly signer: Signer;
  /** Another signer, with other keys or of another process. */
  readonly foreign: Signer;
}

const now = 1_767_225_600;

const claims: AccessTokenClaims = {
  issuer: "https://api.example.com",
  audience: "https://api.example.com/api",
  subject: "0198c0de-0000-7000-8000-000000000001",
  clientId: "postern",
  tokenId: "0198c0de-0000-7000-8000-000000000003",
  sessionId: "0198c0de-0000-7000-8000-000000000002",
  scope: "posts:read posts:write",
  issuedAt: now,
  expiresAt: now + 600,
};

/** A signer with one key of its own. */
const withKey = async (signer: Signer) => {
  const key = await signer.newSigningKey();
  return {
    key,
    issue: (given: AccessTokenClaims = claims) => signer.issueAccessToken(given, key),
    read: (token: string, at = now) =>
      signer.readAccessToken(token, at, async (kid) => (kid === key.kid ? key : undefined)),
  };
};

const garbage = ["", ".", "..", "a.b.c", "Bearer", "null", "\0", "ä", "e30.e30.", "A".repeat(10_000)];

export const signerContract: Contract<SignerSubject> = {
  "makes another key each time, and shows nothing private in its public half": async ({ signer }) => {
    const keys = await Promise.all(Array.from({ length: 5 }, () => signer.newSigningKey()));
    assert.equal(new Set(keys.map(({ kid }) => kid)).size, 5);
    for (const { kid, publicKey, privateKey } of keys) {
      assert.match(kid, /^[\w-]{43}$/);
      assert.deepEqual(Object.keys(publicKey).toSorted(), ["crv", "kty", "x", "y"]);
      assert.equal(typeof privateKey, "string");
    }
  },
  "reads back the claims it signed": async ({ signer }) => {
    const { issue, read } = await withKey(signer);
    const { sessionId: _sessionId, scope: _scope, ...least } = claims;
    for (const given of [claims, least]) {
      const token = await issue(given);
      assert.match(token, /^[\w.~+/-]+=*$/, "a bearer token, RFC 6750, section 2.1");
      assert.deepEqual(await read(token), given);
      assert.deepEqual(await read(token, now + 599), given);
    }
  },
  "says `token_expired` from the second it ends": async ({ signer }) => {
    const { issue, read } = await withKey(signer);
    const token = await issue();
    await rejectsWith("token_expired", () => read(token, now + 600));
    await rejectsWith("token_expired", () => read(token, now + 10_000_000));
  },
  "refuses an altered token": async ({ signer }) => {
    const { issue, read } = await withKey(signer);
    for (const altered of alterationsOf(await issue())) await rejectsWith("invalid_token", () => read(altered));
  },
  "calls an altered token invalid even when its time is over": async ({ signer }) => {
    const { issue, read } = await withKey(signer);
    const token = await issue();
    const altered = token.slice(0, -4) + (token.endsWith("AAAA") ? "BBBB" : "AAAA");
    await rejectsWith("invalid_token", () => read(altered, now + 600));
  },
  "refuses garbage as a token": async ({ signer }) => {
    const { read } = await withKey(signer);
    for (const token of garbage) await rejectsWith("invalid_token", () => read(token));
  },
  "refuses a foreign signer's token": async ({ signer, foreign }) => {
    const token = await (await withKey(foreign)).issue();
    await rejectsWith("invalid_token", async () => (await withKey(signer)).read(token));
  },
  "refuses a token from the moment its key is not known any more, also one it has read before": async ({ signer }) => {
    const { issue, read } = await withKey(signer);
    const token = await issue();
    await read(token);
    await rejectsWith("invalid_token", () => signer.readAccessToken(token, now, async () => undefined));
    await rejectsWith("invalid_token", async () => (await withKey(signer)).read(token));
  },
  "opens the cursors it sealed": async ({ signer }) => {
    for (const content of ["", "a", '["2026-01-01T00:00:00.000Z","ä"]', "\0\n\ud83d\ude00", "é".repeat(2_048)]) {
      const cursor = await signer.sealCursor(content);
      assert.match(cursor, /^[\w-]+$/, "safe in a URL");
      assert.equal(await signer.openCursor(cursor), content);
    }
  },
  "refuses an altered cursor": async ({ signer }) => {
    const cursor = await signer.sealCursor('["2026-01-01T00:00:00.000Z",17]');
    for (const altered of alterationsOf(cursor)) await rejectsWith("invalid_cursor", () => signer.openCursor(altered));
  },
  "refuses garbage as a cursor": async ({ signer }) => {
    for (const cursor of garbage) await rejectsWith("invalid_cursor", () => signer.openCursor(cursor));
  },
  "refuses a foreign signer's cursor": async ({ signer, foreign }) => {
    const cursor = await foreign.sealCursor("content");
    await rejectsWith("invalid_cursor", () => signer.openCursor(cursor));
  },
  "takes neither for the other": async ({ signer }) => {
    const { issue, read } = await withKey(signer);
    const token = await issue();
    const cursor = await signer.sealCursor(JSON.stringify(claims));
    await rejectsWith("invalid_cursor", () => signer.openCursor(token));
    await rejectsWith("invalid_token", () => read(cursor));
  },
};
