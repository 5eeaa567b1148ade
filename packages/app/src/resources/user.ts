import { choice, defineResource, digest, email, jsonObject, nullable, ownedBy, text } from "@postern/core";
import { stampedChoice } from "./stamped-choice.ts";

/** Who uses the API. A user is their own owner. */
export const user = defineResource({
  name: "user",
  plural: "users",
  description: "A person or a program that uses the API.",
  fields: {
    name: text(200, {
      filter: "everyone",
      sort: "everyone",
      example: "Ada Lovelace",
      description: "What the user is called.",
    }),
    email: email({
      unique: true,
      filter: "everyone",
      sort: "everyone",
      description: "The address to sign in with, unique; kept in lower case.",
    }),
    /** The hash, never the password; written by sign-up and password change. */
    password: digest({ description: "The password's hash." }),
    phone: nullable(text(40, { example: "+44 20 7946 0000", description: "A telephone number." })),
    address: nullable(text(500, { example: "12 St James's Square, London", description: "A postal address." })),
    preferences: jsonObject({
      default: {},
      example: { theme: "dark" },
      description: "Settings of the user's own choosing.",
    }),
    subscription: stampedChoice(["none", "trialing", "active", "past_due", "canceled"], {
      initial: "none",
      what: "Where the user's subscription stands.",
      write: "admin",
      description: "The user's subscription.",
    }),
    role: choice(["user", "admin"], {
      default: "user",
      write: "admin",
      filter: "everyone",
      description: "What the user may do.",
    }),
  },
  owner: "id",
  access: { read: ownedBy("id"), update: ownedBy("id"), delete: ownedBy("id") },
  keepsOne: {
    field: "role",
    value: "admin",
    detail: "This is the last administrator; make another user one first.",
  },
});
