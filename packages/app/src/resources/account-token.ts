import { choice, defineResource, digest, integer, nobody, nullable, prose, reference, timestamp } from "@postern/core";

const hidden = { read: "nobody", write: "nobody" } as const;

/**
 * The purpose of a token: what it proves, or which step it continues. A `notice` proves nothing: it
 * counts a mail.
 */
const tokenPurposes = ["verify", "reset", "invite", "sign-up", "address", "second-factor", "notice", "setup"] as const;
export type TokenPurpose = (typeof tokenPurposes)[number];

/**
 * A secret that was mailed, or that one step of a sign-in passes to the next. Only its digest is
 * stored (ADR 27).
 */
export const accountToken = defineResource({
  name: "account_token",
  plural: "account-tokens",
  description: "A secret that proves something once.",
  fields: {
    user_id: nullable(reference("user", { ...hidden, onDelete: "cascade", description: "Whose it is." })),
    purpose: choice(tokenPurposes, { ...hidden, description: "The purpose of the token." }),
    subject_digest: digest({ description: "Digest of the purpose and the address or the account it belongs to." }),
    secret_digest: digest({ description: "Digest of the token." }),
    sealed: nullable({ ...prose(100_000, { description: "The effect of using it." }), ...hidden }),
    failures: integer({ ...hidden, default: 0, description: "How often a wrong code came with it." }),
    expires_at: timestamp({ ...hidden, description: "When it ends." }),
  },
  owner: "user_id",
  access: { read: nobody, update: nobody, delete: nobody },
});
