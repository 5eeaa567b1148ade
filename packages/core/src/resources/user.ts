import { defineResource, ownedBy } from "./define-resource.ts";
import { choice, digest, email, jsonObject, nullable, text } from "./field.ts";

/** Who uses the API. A user is their own owner. */
export const user = defineResource({
  name: "user",
  plural: "users",
  description: "A person or a program that uses the API.",
  fields: {
    name: text(200, { description: "What the user is called." }),
    email: email({
      unique: true,
      description: "The address to sign in with, unique; kept in lower case.",
    }),
    /** The hash, never the password; written by sign-up and password change. */
    password: digest({ description: "The password's hash." }),
    phone: nullable(text(40, { description: "A telephone number." })),
    address: nullable(text(500, { description: "A postal address." })),
    preferences: jsonObject({ default: {}, description: "Settings of the user's own choosing." }),
    subscription_status: choice(["none", "trialing", "active", "past_due", "canceled"], {
      default: "none",
      write: "admin",
      description: "Where the user's subscription stands.",
    }),
    role: choice(["user", "admin"], { default: "user", write: "admin", description: "What the user may do." }),
  },
  owner: "id",
  access: { read: ownedBy("id"), update: ownedBy("id"), delete: ownedBy("id") },
});
