/** Codes that authenticator apps show. Driven port; `oneTimeCodesContract` is its definition in code. */
export interface OneTimeCodes {
  /**
   * Six digits for a secret and a counter (HOTP with SHA-1, RFC 4226, section 5.3). The same secret
   * and counter always give the same digits. `counter` is a whole number from 0; for TOTP it is the
   * number of the time step (RFC 6238, section 4.2).
   */
  code(secret: Uint8Array, counter: number): Promise<string>;
}
