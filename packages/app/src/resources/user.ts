import {
  choice,
  defineResource,
  digest,
  email,
  jsonObject,
  nullable,
  ownedBy,
  type Resource,
  text,
  timestamp,
} from "@postern/core";
import { builtInRoles } from "@postern/rest";
import { stampedChoice } from "./stamped-choice.ts";

/** `own`: the names of the roles that an application adds. */
const roleField = (own: readonly string[]) =>
  choice(["user", ...Object.keys(builtInRoles).filter((name) => name !== "user"), ...own], {
    default: "user",
    write: "admin",
    recentSignIn: true,
    filter: "everyone",
    description: "What the user may do.",
  });

/** A user of the API. Users own themselves. */
export const user = defineResource({
  name: "user",
  plural: "users",
  description: "A person or a program that uses the API.",
  fields: {
    name: text(200, {
      filter: "everyone",
      sort: "everyone",
      example: "Ada Lovelace",
      description: "The name of the user.",
    }),
    email: email({
      unique: true,
      recentSignIn: true,
      filter: "everyone",
      sort: "everyone",
      description: "The address to sign in with, unique; kept in lower case.",
    }),
    verified_email: nullable(
      text(254, {
        write: "nobody",
        example: "ada@example.com",
        description: "The address that was verified last. While it is `email`, the address is verified.",
      }),
    ),
    /**
     * The address that an outside issuer named and did not verify. While it is `email` and nobody has
     * verified it, the account has it on trust.
     */
    trusted_email: {
      ...nullable(text(254, { write: "nobody", description: "An address on trust." })),
      read: "nobody",
    },
    second_factor_at: nullable(
      timestamp({ description: "The time since which sign-ins need a second factor; null if the password is enough." }),
    ),
    /** The hash, never the password. Sign-up and password changes write it. */
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
      what: "The state of the user's subscription.",
      write: "admin",
      description: "The user's subscription.",
    }),
    role: roleField([]),
  },
  owner: "id",
  public: ["name"],
  access: { read: ownedBy("id"), update: ownedBy("id"), delete: ownedBy("id") },
  keepsOne: {
    field: "role",
    value: "admin",
    detail: "This is the last administrator; make another user one first.",
  },
});

/** The resource `user` of an application with roles of its own. */
export const userWithRoles = (names: readonly string[]): Resource =>
  names.length === 0 ? user : { ...user, fields: { ...user.fields, role: roleField(names) } };
