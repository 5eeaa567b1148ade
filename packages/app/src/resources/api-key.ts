import { defineResource, digest, nullable, ownedBy, reference, text, timestamp, words } from "@postern/core";

/** The most scopes that one key has. */
const mostScopes = 100;

/** A key with which a program acts for a user. Only its digest is kept. */
export const apiKey = defineResource({
  name: "api_key",
  plural: "api-keys",
  description: "A key with which a program acts for a user, as far as its scopes go.",
  fields: {
    user_id: reference("user", { onDelete: "cascade", filter: "everyone", description: "Whose it is." }),
    name: text(100, { write: "nobody", example: "nightly export", description: "The purpose of the key." }),
    scopes: words(mostScopes, 64, {
      write: "nobody",
      example: ["posts:read"],
      description: "The scopes of the key.",
    }),
    secret_digest: digest({ description: "Digest of the key." }),
    expires_at: nullable(
      timestamp({ example: "2027-11-21T00:00:00.000Z", description: "When it ends; null if it does not end." }),
    ),
    last_used_at: nullable(timestamp({ description: "When it was last used, to the minute; null if it never was." })),
  },
  owner: "user_id",
  access: { read: ownedBy("user_id"), update: ownedBy("user_id"), delete: ownedBy("user_id") },
});
