/**
 * The algorithms that tokens of others may be signed with (RFC 7518, RFC 8037, RFC 9864). All have a
 * public key: a key that is published can sign nothing.
 */
export const jwtAlgorithms = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
] as const;

/**
 * A public key as a JSON Web Key (RFC 7517) that somebody else published. Nothing in it has been
 * checked.
 */
export type ForeignJwk = Readonly<Record<string, unknown>>;

/** The claims of a token (RFC 7519), as its signer wrote them. */
export type JwtClaims = Readonly<Record<string, unknown>>;

/** What a token says about itself. Anybody can write this, so none of it is proved. */
export interface UnprovedJwt {
  readonly algorithm: string;
  /** The `kid` of its header. */
  readonly keyId: string | undefined;
  /** The `typ` of its header. */
  readonly type: string | undefined;
  readonly claims: JwtClaims;
}

/**
 * Reads tokens that others signed (RFC 7519 in the compact form of RFC 7515). Driven port;
 * `jwtVerifierContract` is its definition in code. It has no clock: the caller checks `exp`, `nbf`,
 * `iss` and `aud`.
 */
export interface JwtVerifier {
  /**
   * The content of a text that has the form of a signed token, unchecked. `undefined` for any other
   * text, for one of more than 16,384 characters, and for a token with critical extensions.
   */
  read(token: string): UnprovedJwt | undefined;
  /**
   * Whether tokens can be checked with this key: a public key of a known type for one of
   * `jwtAlgorithms`, RSA with 2,048 bits at least, and meant for signatures.
   */
  isUsable(key: ForeignJwk): boolean;
  /**
   * The claims of a token that was signed with the private half of this key. The key alone decides
   * which algorithms count, never the token.
   * @throws AppError `invalid_token` for anything else; the cause is for the log.
   */
  verify(token: string, key: ForeignJwk): Promise<JwtClaims>;
}
