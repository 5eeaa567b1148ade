import {
  choice,
  defineResource,
  digest,
  jsonObject,
  nobody,
  nullable,
  reference,
  text,
  timestamp,
  words,
} from "@postern/core";

/** The most scopes that one client has, and the most redirect URIs. */
export const mostClientScopes = 100;
export const mostRedirectUris = 10;
const longestUri = 2_000;

/**
 * A program that gets tokens by OAuth 2. Administrators make it. A confidential client has public
 * keys, or a secret of which only the digest is stored.
 */
export const client = defineResource({
  name: "oauth_client",
  plural: "oauth-clients",
  description: "A program that gets tokens by OAuth 2.",
  fields: {
    user_id: reference("user", {
      onDelete: "cascade",
      description:
        "The account that it acts for with client credentials. The rights of this account limit those of the client.",
    }),
    name: text(100, { write: "nobody", example: "Nightly report", description: "The name that users see." }),
    kind: choice(["confidential", "public"], {
      write: "nobody",
      description: "`confidential`: has a secret; `public`: an app that cannot keep one.",
    }),
    scopes: words(mostClientScopes, 64, { write: "nobody", description: "The scopes that it can ask for." }),
    redirect_uris: words(mostRedirectUris, longestUri, {
      write: "nobody",
      description: "Where users are sent back to; empty for a client without users.",
    }),
    grant_types: words(3, 32, {
      write: "nobody",
      description: "How it gets tokens.",
    }),
    secret_digest: nullable(digest({ description: "Digest of the secret." })),
    jwks: nullable(
      jsonObject({ write: "nobody", description: "Its public keys, in place of a secret; null if it has none." }),
    ),
    last_used_at: nullable(
      timestamp({ description: "When it last got a token, to the minute; null if it never did." }),
    ),
  },
  owner: "user_id",
  access: { read: nobody, update: nobody, delete: nobody },
});
