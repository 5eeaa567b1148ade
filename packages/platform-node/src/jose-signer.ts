import type { Signer } from "@postern/core/ports";
import { accessTokens } from "./access-tokens.ts";
import { cursors } from "./cursors.ts";

export interface JoseSignerOptions {
  /**
   * The server's secret, 32 random bytes. Nodes with the same one recognise each other's cursors.
   */
  readonly secretKey: Uint8Array;
  /**
   * Other keys whose cursors are recognised, too: those used before, or one that other nodes use
   * already.
   */
  readonly previousSecretKeys?: readonly Uint8Array[];
}

/**
 * Access tokens are ES256 JWTs (RFC 9068), signed with keys that the caller keeps. Cursors carry an
 * HMAC whose key is derived from the secret key.
 * @throws TypeError when the secret key is not 32 bytes long.
 */
export const joseSigner = ({ secretKey, previousSecretKeys = [] }: JoseSignerOptions): Signer => ({
  ...accessTokens(),
  ...cursors(secretKey, previousSecretKeys),
});
