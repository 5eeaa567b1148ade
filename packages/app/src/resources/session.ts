import { defineResource, digest, ownedBy, reference, timestamp } from "@postern/core";

/**
 * One sign-in. Its refresh token names it and is kept as a digest: whoever presents another one for it has an old copy, which ends the
 * session (RFC 9700, section 4.14.2).
 */
export const session = defineResource({
  name: "session",
  plural: "sessions",
  description: "A sign-in that can still be used.",
  fields: {
    user_id: reference("user", { onDelete: "cascade", description: "Whose it is." }),
    refresh_digest: digest({ description: "Digest of the refresh token that is good now." }),
    last_used_at: timestamp({ description: "When it was last refreshed." }),
    expires_at: timestamp({ description: "When it ends unless it is refreshed." }),
  },
  owner: "user_id",
  access: { read: ownedBy("user_id"), update: ownedBy("user_id"), delete: ownedBy("user_id") },
});
