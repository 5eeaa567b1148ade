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
  userId: "0198c0de-0000-7000-8000-000000000001",
  sessionId: "0198c0de-0000-7000-8000-000000000002",
  issuedAt: now,
  expiresAt: now + 600,
};

const garbage = ["", ".", "..", "a.b.c", "Bearer", "null", "\0", "ä", "e30.e30.", "A".repeat(10_000)];

export const signerContract: Contract<SignerSubject> = {
  "reads back the claims it signed": async ({ signer }) => {
    const token = await signer.issueAccessToken(claims);
    assert.match(token, /^[\w.~+/-]+=*$/, "a bearer token, RFC 6750, section 2.1");
    assert.deepEqual(await signer.readAccessToken(token, now), claims);
    assert.deepEqual(await signer.readAccessToken(token, now + 599), claims);
  },
  "says `token_expired` from the second it ends": async ({ signer }) => {
    const token = await signer.issueAccessToken(claims);
    await rejectsWith("token_expired", () => signer.readAccessToken(token, now + 600));
    await rejectsWith("token_expired", () => signer.readAccessToken(token, now + 10_000_000));
  },
  "refuses an altered token": async ({ signer }) => {
    const token = await signer.issueAccessToken(claims);
    for (const altered of alterationsOf(token)) {
      await rejectsWith("invalid_token", () => signer.readAccessToken(altered, now));
    }
  },
  "calls an altered token invalid even when its time is over": async ({ signer }) => {
    const token = await signer.issueAccessToken(claims);
    const altered = token.slice(0, -4) + (token.endsWith("AAAA") ? "BBBB" : "AAAA");
    await rejectsWith("invalid_token", () => signer.readAccessToken(altered, now + 600));
  },
  "refuses garbage as a token": async ({ signer }) => {
    for (const token of garbage) await rejectsWith("invalid_token", () => signer.readAccessToken(token, now));
  },
  "refuses a foreign signer's token": async ({ signer, foreign }) => {
    const token = await foreign.issueAccessToken(claims);
    await rejectsWith("invalid_token", () => signer.readAccessToken(token, now));
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
    const token = await signer.issueAccessToken(claims);
    const cursor = await signer.sealCursor(JSON.stringify(claims));
    await rejectsWith("invalid_cursor", () => signer.openCursor(token));
    await rejectsWith("invalid_token", () => signer.readAccessToken(cursor, now));
  },
};
