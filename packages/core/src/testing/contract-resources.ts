import { defineResource } from "../model/define-resource.ts";
import { choice, digest, email, jsonObject, nullable, prose, reference, text, timestamp } from "../model/field.ts";
import { anyOf, ownedBy, through, where } from "../model/rules.ts";

/*
 * The resources of the contract suites: the tables of users, sessions, posts and comments, as every
 * adapter makes them for an application with all parts. Core does not know the product's own
 * declarations; `packages/app/test/contract-resources.test.ts` compares the two.
 */

export const user = defineResource({
  name: "user",
  plural: "users",
  description: "A user.",
  fields: {
    name: text(200, { filter: "everyone", sort: "everyone", description: "A name." }),
    email: email({ unique: true, filter: "everyone", sort: "everyone", description: "An address." }),
    verified_email: nullable(text(254, { write: "nobody", description: "An address." })),
    trusted_email: nullable(text(254, { write: "nobody", description: "An address on trust." })),
    second_factor_at: nullable(timestamp({ description: "A time." })),
    password: digest({ description: "A hash." }),
    phone: nullable(text(40, { description: "A number." })),
    address: nullable(text(500, { description: "An address." })),
    preferences: jsonObject({ default: {}, description: "Settings." }),
    subscription: jsonObject({ default: { status: "none", since: null }, description: "A subscription." }),
    role: choice(["user", "admin"], { default: "user", filter: "everyone", description: "A role." }),
  },
  owner: "id",
  access: { read: ownedBy("id"), update: ownedBy("id"), delete: ownedBy("id") },
});

export const session = defineResource({
  name: "session",
  plural: "sessions",
  description: "A session.",
  fields: {
    user_id: reference("user", { onDelete: "cascade", description: "Whose it is." }),
    refresh_digest: digest({ description: "A digest." }),
    previous_digest: nullable(digest({ description: "The digest before." })),
    successor: nullable(prose(1_000, { description: "A text." })),
    successor_until: nullable(timestamp({ description: "Until when." })),
    last_used_at: timestamp({ description: "When it was used." }),
    device: nullable(text(64, { description: "A program." })),
    address: nullable(text(64, { description: "An address." })),
    expires_at: timestamp({ description: "When it ends." }),
  },
  owner: "user_id",
  access: { read: ownedBy("user_id"), update: ownedBy("user_id"), delete: ownedBy("user_id") },
});

const readablePost = anyOf(ownedBy("user_id"), where("status", "published"));

export const post = defineResource({
  name: "post",
  plural: "posts",
  description: "A post.",
  fields: {
    user_id: reference("user", { onDelete: "cascade", description: "Who wrote it." }),
    title: text(200, { filter: "everyone", sort: "everyone", description: "A headline." }),
    body: prose(100_000, { description: "A text." }),
    status: choice(["draft", "published", "archived"], {
      default: "draft",
      filter: "everyone",
      description: "A state.",
    }),
    published_at: nullable(timestamp({ filter: "everyone", sort: "everyone", description: "A time." })),
  },
  owner: "user_id",
  parent: { resource: "user", field: "user_id", createRequires: "update" },
  access: { read: readablePost, update: ownedBy("user_id"), delete: ownedBy("user_id") },
});

export const comment = defineResource({
  name: "comment",
  plural: "comments",
  description: "A comment.",
  fields: {
    post_id: reference("post", { onDelete: "cascade", description: "The post that it belongs to." }),
    user_id: reference("user", { onDelete: "cascade", filter: "everyone", description: "Who wrote it." }),
    body: prose(10_000, { description: "A text." }),
  },
  owner: "user_id",
  parent: { resource: "post", field: "post_id", createRequires: "read" },
  access: {
    read: through("post_id", "post", readablePost),
    update: ownedBy("user_id"),
    delete: anyOf(ownedBy("user_id"), through("post_id", "post", ownedBy("user_id"))),
  },
});

/** All of them. Make a storage under test with these. */
export const contractResources = [user, session, post, comment] as const;
