/** What an access token says. Times are whole seconds since the epoch (RFC 7519, NumericDate). */
export interface AccessTokenClaims {
  readonly userId: string;
  readonly sessionId: string;
  readonly issuedAt: number;
  readonly expiresAt: number;
}

/** Signs what the server hands out and wants to recognise again. Driven port. */
export interface Signer {
  /** An opaque bearer token for these claims. */
  issueAccessToken(claims: AccessTokenClaims): Promise<string>;
  /**
   * The claims of a token this signer issued and that has not expired at `nowSeconds`.
   * @throws AppError `token_expired` when it was genuine but is over; `invalid_token` for anything else.
   */
  readAccessToken(token: string, nowSeconds: number): Promise<AccessTokenClaims>;
  /** `content` (up to 2,048 characters) as an opaque, URL-safe cursor that cannot be altered or forged. */
  sealCursor(content: string): Promise<string>;
  /** @throws AppError `invalid_cursor` for anything `sealCursor` did not return. */
  openCursor(cursor: string): Promise<string>;
}
