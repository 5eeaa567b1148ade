import {
  anyOf,
  choice,
  defineResource,
  nullable,
  ownedBy,
  prose,
  reference,
  text,
  timestamp,
  where,
} from "@postern/core";

/** Every signed-in user may read a published post. Other posts are visible to their author only. */
export const readablePost = anyOf(ownedBy("user_id"), where("status", "published"));

export const post = defineResource({
  name: "post",
  plural: "posts",
  description: "Something a user wrote.",
  fields: {
    user_id: reference("user", { onDelete: "cascade", as: "author", description: "Who wrote it." }),
    title: text(200, {
      filter: "everyone",
      sort: "everyone",
      example: "On the Analytical Engine",
      description: "The headline.",
    }),
    body: prose(100_000, { example: "It weaves algebraic patterns.", description: "The text." }),
    status: choice(["draft", "published", "archived"], {
      default: "draft",
      example: "published",
      filter: "everyone",
      description: "A draft and an archived post are seen by their author only.",
    }),
    published_at: nullable(
      timestamp({ filter: "everyone", sort: "everyone", description: "When it was first published." }),
    ),
  },
  owner: "user_id",
  parent: { resource: "user", field: "user_id", createRequires: "update", listAll: true },
  access: { read: readablePost, update: ownedBy("user_id"), delete: ownedBy("user_id") },
  lifecycle: {
    field: "status",
    initial: ["draft", "published"],
    moves: { draft: ["published"], published: ["archived"], archived: [] },
    stamps: { published: "published_at" },
  },
});
