import { anyOf, defineResource, ownedBy, prose, reference, through } from "@postern/core";
import { readablePost } from "./post.ts";

export const comment = defineResource({
  name: "comment",
  plural: "comments",
  description: "A remark under a post.",
  fields: {
    post_id: reference("post", { onDelete: "cascade", description: "The post that it belongs to." }),
    user_id: reference("user", {
      onDelete: "cascade",
      as: "author",
      filter: "everyone",
      description: "Who wrote it.",
    }),
    body: prose(10_000, { example: "Just as the loom weaves flowers.", description: "The text." }),
  },
  owner: "user_id",
  parent: { resource: "post", field: "post_id", createRequires: "read" },
  access: {
    /** The author of a comment still sees it when the post is archived. */
    read: anyOf(ownedBy("user_id"), through("post_id", "post", readablePost)),
    update: ownedBy("user_id"),
    /** The owner of a post may delete the comments under it. */
    delete: anyOf(ownedBy("user_id"), through("post_id", "post", ownedBy("user_id"))),
  },
});
