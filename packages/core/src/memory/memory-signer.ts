import { AppError } from "../errors/index.ts";
import type { Randomness } from "../ports/randomness.ts";
import type { AccessTokenClaims, Signer } from "../ports/signer.ts";
import { setBounded } from "./bounded-map.ts";

const keptHandles = 100_000;

/**
 * Hands out 192-bit random handles and remembers what they stand for, so nothing can be forged or read out of them. They are as
 * unguessable as `randomness` is. Of tokens and of cursors the newest 100,000 are known; the older ones are invalid.
 */
export const memorySigner = (randomness: Randomness): Signer => {
  const tokens = new Map<string, AccessTokenClaims>();
  const cursors = new Map<string, string>();
  const handle = (prefix: string): string =>
    prefix + Array.from(randomness.bytes(24), (byte) => byte.toString(16).padStart(2, "0")).join("");

  return {
    issueAccessToken: async (claims) => {
      const token = handle("mt_");
      setBounded(tokens, token, { ...claims }, keptHandles);
      return token;
    },
    readAccessToken: async (token, nowSeconds) => {
      const claims = tokens.get(token);
      if (claims === undefined) throw new AppError("invalid_token");
      if (nowSeconds >= claims.expiresAt) throw new AppError("token_expired");
      return { ...claims };
    },
    sealCursor: async (content) => {
      const cursor = handle("mc_");
      setBounded(cursors, cursor, content, keptHandles);
      return cursor;
    },
    openCursor: async (cursor) => {
      const content = cursors.get(cursor);
      if (content === undefined) throw new AppError("invalid_cursor");
      return content;
    },
  };
};
