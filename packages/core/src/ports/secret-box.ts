/** Secrets at rest. Driven port. */
export interface SecretBox {
  /** `secret` encrypted for storage; `context` (what and whose it is) is bound to it and needed again to open it. */
  seal(secret: string, context: string): Promise<string>;
  /** @throws Error when the text was altered, sealed under another key or for another context. */
  open(sealed: string, context: string): Promise<string>;
  /**
   * A fixed one-way digest (43 URL-safe characters or more) under which a high-entropy secret such as a refresh token is stored and
   * looked up. The same secret always gives the same digest. Not for passwords.
   */
  digest(secret: string): Promise<string>;
}
