import { defineResource, nothing, reference, text } from "@postern/core";

const hidden = { read: "nobody", write: "nobody" } as const;
const nobody = () => nothing;

/** The longest name of an issuer and of its subjects (OpenID Connect Core, section 2: `sub`). */
export const longestIssuer = 255;
export const longestSubject = 255;

/** An account elsewhere whose tokens act for a user here. Each belongs to one user (ADR 30). */
export const outsideIdentity = defineResource({
  name: "outside_identity",
  plural: "outside-identities",
  description: "An account at an outside issuer that a user is linked to.",
  fields: {
    user_id: reference("user", { ...hidden, onDelete: "cascade", description: "Whose it is here." }),
    issuer: text(longestIssuer, { ...hidden, description: "Who issues its tokens." }),
    subject: text(longestSubject, { ...hidden, description: "What the issuer calls it." }),
    identity: text(64, { ...hidden, unique: true, description: "SHA-256 of issuer and subject, in hex." }),
  },
  owner: "user_id",
  access: { read: nobody, update: nobody, delete: nobody },
});
