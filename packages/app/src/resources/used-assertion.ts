import { defineResource, nobody, reference, text, timestamp } from "@postern/core";

const hidden = { read: "nobody", write: "nobody" } as const;

/**
 * An assertion with which a client has proved its identity. It is kept until it expires, so that it
 * is valid only once.
 */
export const usedAssertion = defineResource({
  name: "used_assertion",
  plural: "used-assertions",
  description: "An assertion of a client that was used.",
  fields: {
    user_id: reference("user", { ...hidden, onDelete: "cascade", description: "Whose client it is." }),
    client_id: reference("oauth_client", { ...hidden, onDelete: "cascade", description: "Whose assertion it was." }),
    assertion: text(64, { ...hidden, unique: true, description: "SHA-256 of the client and its jti, in hex." }),
    expires_at: timestamp({ ...hidden, description: "When it would have ended." }),
  },
  owner: "user_id",
  access: { read: nobody, update: nobody, delete: nobody },
});
