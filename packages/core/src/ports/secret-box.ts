/** Encrypts secrets for storage. Driven port. */
export interface SecretBox {
  /**
   * Encrypts `secret`. `context` says what it is and to whom it belongs; it is bound to the result,
   * and `open` needs the same.
   */
  seal(secret: string, context: string): Promise<string>;
  /** @throws Error if the text was altered, or sealed under another key or for another context. */
  open(sealed: string, context: string): Promise<string>;
  /**
   * A fixed one-way digest (43 URL-safe characters or more) for storing and looking up a
   * high-entropy secret such as a refresh token. The same secret always gives the same digest. Not
   * for passwords.
   */
  digest(secret: string): Promise<string>;
}
