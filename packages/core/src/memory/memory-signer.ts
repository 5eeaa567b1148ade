import { AppError } from "../errors/index.ts";
import type { Randomness } from "../ports/randomness.ts";
import type { AccessTokenClaims, Signer } from "../ports/signer.ts";
import { setBounded } from "./bounded-map.ts";

const keptHandles = 100_000;

/**
 * Gives out 192-bit random handles and remembers what they stand for, so nobody can forge or read
 * them. They are as unguessable as `randomness`. The newest 100,000 tokens and the newest 100,000
 * cursors are known; older ones are invalid.
 */
export const memorySigner = (randomness: Randomness): Signer => {
  const tokens = new Map<string, { readonly kid: string; readonly claims: AccessTokenClaims }>();
  const cursors = new Map<string, string>();
  /** The cursor of each content. */
  const handles = new Map<string, string>();
  const handle = (prefix: string): string =>
    prefix + Array.from(randomness.bytes(24), (byte) => byte.toString(16).padStart(2, "0")).join("");

  return {
    newSigningKey: async () => {
      const kid = handle("mk_").slice(0, 43);
      return { kid, publicKey: { kty: "EC", crv: "P-256", x: handle("x"), y: handle("y") }, privateKey: handle("ms_") };
    },
    issueAccessToken: async (claims, { kid }) => {
      const token = handle("mt_");
      setBounded(tokens, token, { kid, claims: { ...claims } }, keptHandles);
      return token;
    },
    readAccessToken: async (token, nowSeconds, keyNamed) => {
      const known = tokens.get(token);
      if (known === undefined || (await keyNamed(known.kid)) === undefined) throw new AppError("invalid_token");
      if (nowSeconds >= known.claims.expiresAt) throw new AppError("token_expired");
      return { ...known.claims };
    },
    sealCursor: async (content) => {
      // The same place has the same cursor, so that a page that has not changed is the same page.
      const known = handles.get(content);
      if (known !== undefined && cursors.has(known)) return known;
      const cursor = handle("mc_");
      setBounded(cursors, cursor, content, keptHandles);
      setBounded(handles, content, cursor, keptHandles);
      return cursor;
    },
    openCursor: async (cursor) => {
      const content = cursors.get(cursor);
      if (content === undefined) throw new AppError("invalid_cursor");
      return content;
    },
  };
};
