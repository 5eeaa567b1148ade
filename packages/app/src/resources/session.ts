import { defineResource, digest, nullable, ownedBy, reference, text, timestamp } from "@postern/core";

/**
 * One sign-in. Its refresh token names it and is stored as a digest. If somebody presents another
 * token for it, they have an old copy, and the session ends (RFC 9700, section 4.14.2).
 */
export const session = defineResource({
  name: "session",
  plural: "sessions",
  description: "A sign-in that can still be used.",
  fields: {
    user_id: reference("user", { onDelete: "cascade", filter: "everyone", description: "Whose it is." }),
    refresh_digest: digest({ description: "Digest of the refresh token that is valid now." }),
    last_used_at: timestamp({ description: "When it was last refreshed." }),
    device: nullable(text(64, { write: "nobody", description: "The program that used it last, as it names itself." })),
    address: nullable(text(64, { write: "nobody", description: "The network address that used it last." })),
    expires_at: timestamp({ description: "When it ends unless it is refreshed." }),
  },
  owner: "user_id",
  access: { read: ownedBy("user_id"), update: ownedBy("user_id"), delete: ownedBy("user_id") },
});
