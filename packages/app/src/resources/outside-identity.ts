import { choice, defineResource, nullable, ownedBy, reference, text } from "@postern/core";

const given = { write: "nobody" } as const;

/** The longest name of an issuer and of its subjects (OpenID Connect Core, section 2: `sub`). */
export const longestIssuer = 255;
export const longestSubject = 255;

/**
 * An account elsewhere whose tokens act for a user here. Each belongs to one user (ADR 30). A link
 * that was ended stays, so that the next token does not make it anew.
 */
export const outsideIdentity = defineResource({
  name: "outside_identity",
  plural: "outside-identities",
  description: "An account at an outside issuer that a user is linked to.",
  fields: {
    user_id: reference("user", { onDelete: "cascade", description: "The user whose account is linked." }),
    issuer: text(longestIssuer, {
      ...given,
      example: "https://id.example.com",
      description: "The issuer of its tokens.",
    }),
    subject: text(longestSubject, {
      ...given,
      example: "248289761001",
      description: "The issuer's name for the account.",
    }),
    identity: {
      ...text(64, { unique: true, description: "SHA-256 of issuer and subject, in hex." }),
      read: "nobody",
      write: "nobody",
    },
    client_id: nullable(
      text(36, {
        ...given,
        example: "019a5e2f-0b3d-7e44-b1a6-64d2f09c8e57",
        description: "The client that acts for it, if it is a program; null for the account of a person.",
      }),
    ),
    state: choice(["linked", "ended"], {
      ...given,
      default: "linked",
      description: "`linked`: its tokens act for the user; `ended`: they are refused, and the link is not made anew.",
    }),
  },
  owner: "user_id",
  parent: { resource: "user", field: "user_id", createRequires: "update" },
  access: { read: ownedBy("user_id"), update: ownedBy("user_id"), delete: ownedBy("user_id") },
});
