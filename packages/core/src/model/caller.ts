/** Who calls, as the code of an application sees them. */
export interface Caller {
  readonly userId: string;
  /** The role that is in effect: a role above `user` is not while it lacks its second factor. */
  readonly role: string;
  /**
   * The scopes to which the credential is limited. Absent: it may do whatever its user may do. A
   * scope alone gives no right; the role must have it, too.
   */
  readonly scopes?: readonly string[];
  /** A sign-in, an API key, an OAuth client, or an account of an outside issuer; with its id. */
  readonly credential: { readonly kind: "session" | "api-key" | "client" | "outside"; readonly id: string };
}
