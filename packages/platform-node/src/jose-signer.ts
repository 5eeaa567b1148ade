import type { Signer } from "@postern/core";
import { accessTokens } from "./access-tokens.ts";
import { cursors } from "./cursors.ts";

export interface JoseSignerOptions {
  /** The server's secret, 32 random bytes. Nodes with the same one recognise each other's tokens and cursors. */
  readonly secretKey: Uint8Array;
  /** Other keys whose tokens and cursors are recognised, too: those used before, or one that other nodes use already. */
  readonly previousSecretKeys?: readonly Uint8Array[];
}

/**
 * Tokens that need no storage: access tokens are ES256 JWTs (RFC 9068), cursors carry an HMAC. Both keys are derived from the secret key.
 * @throws TypeError when the secret key is not 32 bytes long.
 */
export const joseSigner = ({ secretKey, previousSecretKeys = [] }: JoseSignerOptions): Signer => ({
  ...accessTokens(secretKey, previousSecretKeys),
  ...cursors(secretKey, previousSecretKeys),
});
