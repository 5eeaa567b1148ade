import { defineResource, digest, integer, nobody, nullable, reference, timestamp, words } from "@postern/core";

const hidden = { read: "nobody", write: "nobody" } as const;

/** The second factor of a user, under the user's own id: a user has one at most. */
export const secondFactor = defineResource({
  name: "second_factor",
  plural: "second-factors",
  description: "The second factor of a sign-in, in addition to the password.",
  fields: {
    user_id: reference("user", { ...hidden, onDelete: "cascade", description: "Whose it is." }),
    sealed_secret: digest({ description: "The sealed secret that the authenticator app has, too." }),
    confirmed_at: nullable(timestamp({ ...hidden, description: "The time since which sign-ins need it." })),
    last_step: integer({ ...hidden, default: 0, description: "The time step of the last code that was used." }),
    recovery_digests: words(10, 255, {
      ...hidden,
      default: [],
      description: "Digests of the recovery codes that are left.",
    }),
  },
  owner: "user_id",
  access: { read: nobody, update: nobody, delete: nobody },
});
