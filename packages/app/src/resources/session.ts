import { defineResource, digest, nullable, ownedBy, reference, text, timestamp } from "@postern/core";
import { successorFields } from "./successor-fields.ts";

/**
 * One sign-in. Its refresh token names it and is stored as a digest. If somebody presents another
 * token for it, they have an old copy, and the session ends (RFC 9700, section 4.14.2). Only the
 * token before the newest one gets the newest one again, for 30 seconds.
 */
export const session = defineResource({
  name: "session",
  plural: "sessions",
  description: "A sign-in that can still be used.",
  fields: {
    user_id: reference("user", { onDelete: "cascade", filter: "everyone", description: "Whose it is." }),
    refresh_digest: digest({ description: "Digest of the refresh token that is valid now." }),
    ...successorFields,
    last_used_at: timestamp({ description: "When it was last refreshed." }),
    device: nullable(
      text(64, {
        write: "nobody",
        example: "Firefox on Linux",
        description: "The program that used it last, as it names itself.",
      }),
    ),
    address: nullable(
      text(64, { write: "nobody", example: "192.0.2.7", description: "The network address that used it last." }),
    ),
    expires_at: timestamp({ example: "2026-12-05T08:30:00.000Z", description: "When it ends unless it is refreshed." }),
  },
  owner: "user_id",
  access: { read: ownedBy("user_id"), update: ownedBy("user_id"), delete: ownedBy("user_id") },
});
