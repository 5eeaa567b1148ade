/** How the API asks for a credential (RFC 6750, section 3). */
export const challenge = (error?: "invalid_token"): Readonly<Record<string, string>> => ({
  "www-authenticate": error === undefined ? 'Bearer realm="postern"' : `Bearer realm="postern", error="${error}"`,
});
