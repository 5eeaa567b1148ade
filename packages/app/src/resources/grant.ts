import { defineResource, digest, nullable, ownedBy, reference, text, timestamp, words } from "@postern/core";
import { successorFields } from "./successor-fields.ts";

/**
 * What one user allowed one client. It begins with a code and continues with refresh tokens. Each
 * of them is exchanged once; the same exchange is answered again for 30 seconds. Only their digests
 * are stored, and for that time the newest one, encrypted.
 */
export const grant = defineResource({
  name: "grant",
  plural: "grants",
  description: "What a user allowed a client to do for them.",
  fields: {
    user_id: reference("user", { onDelete: "cascade", filter: "everyone", description: "Who allowed it." }),
    client_id: text(36, {
      write: "nobody",
      example: "019a5e2f-0b3d-7e44-b1a6-64d2f09c8e57",
      description: "The id of the client.",
    }),
    client_name: text(100, {
      write: "nobody",
      example: "Ledger for iOS",
      description: "The name of the client, as the user saw it.",
    }),
    scopes: words(100, 64, { write: "nobody", example: ["posts:read"], description: "What the client may do." }),
    redirect_uri: { ...text(2_000, { description: "Where the code was sent." }), read: "nobody", write: "nobody" },
    challenge: digest({ description: "What the client must prove to exchange the code (RFC 7636)." }),
    code_digest: digest({ description: "Digest of the code." }),
    family_digest: nullable(digest({ description: "Digest of the part that all its refresh tokens share." })),
    refresh_digest: nullable(digest({ description: "Digest of the refresh token that is valid now." })),
    ...successorFields,
    last_used_at: timestamp({ description: "When the client last got tokens." }),
    expires_at: timestamp({
      example: "2026-12-05T08:30:00.000Z",
      description: "When it ends unless the client gets new tokens.",
    }),
  },
  owner: "user_id",
  access: { read: ownedBy("user_id"), update: ownedBy("user_id"), delete: ownedBy("user_id") },
});
