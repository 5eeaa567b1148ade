/** What an access token says (RFC 9068, section 2.2). */
export interface AccessTokenClaims {
  /** The server that issued it: its public URL. */
  readonly issuer: string;
  /** The API that it is for. */
  readonly audience: string;
  /** The user's id; for a client that acts for itself, the client's. */
  readonly subject: string;
  readonly clientId: string;
  /** The token's own id. */
  readonly tokenId: string;
  /** The id of the session or the grant that the token belongs to. */
  readonly sessionId?: string;
  /** Scopes, separated by spaces; absent if the token is not limited to scopes. */
  readonly scope?: string;
  /** Times are whole seconds since the epoch (RFC 7519, NumericDate). */
  readonly issuedAt: number;
  readonly expiresAt: number;
}

/** The public half of a signing key, as a JSON Web Key (RFC 7517). */
export interface PublicJwk {
  readonly kty: "EC";
  readonly crv: "P-256";
  readonly x: string;
  readonly y: string;
}

/** The public half of a signing key, and the `kid` by which tokens name it. */
export interface PublicSigningKey {
  readonly kid: string;
  readonly publicKey: PublicJwk;
}

/** A signing key with its private half. */
export interface SigningKey extends PublicSigningKey {
  /** The private half as text, in a form of the adapter's own. A secret. */
  readonly privateKey: string;
}

/** Signs texts that the server gives out and must later recognise. Driven port. */
export interface Signer {
  /** A new random key pair. */
  newSigningKey(): Promise<SigningKey>;
  /** An opaque bearer token for these claims. */
  issueAccessToken(claims: AccessTokenClaims, key: SigningKey): Promise<string>;
  /**
   * The claims of a token that was signed with a key of this server and that has not expired at
   * `nowSeconds`. `keyNamed` finds the public half of a key by its `kid`. The caller must check
   * issuer and audience.
   * @throws AppError `token_expired` if it was genuine but has expired; `invalid_token` for
   *   anything else.
   */
  readAccessToken(
    token: string,
    nowSeconds: number,
    keyNamed: (kid: string) => Promise<PublicSigningKey | undefined>,
  ): Promise<AccessTokenClaims>;
  /**
   * Turns `content` (up to 2,048 characters) into an opaque, URL-safe cursor that clients cannot
   * alter or forge.
   */
  sealCursor(content: string): Promise<string>;
  /** @throws AppError `invalid_cursor` for anything that `sealCursor` did not return. */
  openCursor(cursor: string): Promise<string>;
}
