/** What is wrong with a credential: RFC 6750, section 3.1, and RFC 9470, section 3. */
type ChallengeError = "invalid_token" | "insufficient_scope" | "insufficient_user_authentication";

/** What the client should send instead. */
interface ChallengeParameters {
  /** The scope that is missing. */
  readonly scope?: string;
  /** The greatest age of a sign-in, in seconds. */
  readonly max_age?: number;
}

/** The header that asks for a credential (RFC 6750, section 3). */
export const challenge = (
  error?: ChallengeError,
  parameters: ChallengeParameters = {},
): Readonly<Record<string, string>> => {
  const told = Object.entries({ realm: "postern", ...(error === undefined ? {} : { error }), ...parameters });
  return { "www-authenticate": `Bearer ${told.map(([name, value]) => `${name}="${value}"`).join(", ")}` };
};
