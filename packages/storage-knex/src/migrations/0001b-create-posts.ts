import { listIndexes } from "./list-indexes.ts";
import { createTable, type Migration } from "./migration.ts";

/** Posts and their comments. Each column has the name of its field. */
export const createPosts: Migration = {
  name: "0001b-create-posts",
  formerly: "0001-create-resources",
  part: "posts",
  tables: ["posts", "comments"],
  up: (types) => {
    const { id, moment, text, ascii, longText, integer } = types;
    const own = [`revision ${integer} NOT NULL`];
    const times = [`created_at ${moment} NOT NULL`, `updated_at ${moment} NOT NULL`];
    const ownerKey = "FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE";
    return [
      ...createTable(
        types,
        "posts",
        [
          `id ${id} NOT NULL PRIMARY KEY`,
          ...own,
          `user_id ${id} NOT NULL`,
          `title ${text(200)} NOT NULL`,
          `body ${longText} NOT NULL`,
          `status ${ascii(64)} NOT NULL`,
          `published_at ${moment} NULL`,
          ...times,
          ownerKey,
        ],
        [
          { name: "user_id", columns: "user_id, id" },
          ...listIndexes(["title", "published_at", "created_at", "updated_at"], "user_id"),
        ],
      ),
      ...createTable(
        types,
        "comments",
        [
          `id ${id} NOT NULL PRIMARY KEY`,
          ...own,
          `post_id ${id} NOT NULL`,
          `user_id ${id} NOT NULL`,
          `body ${longText} NOT NULL`,
          ...times,
          "FOREIGN KEY (post_id) REFERENCES posts (id) ON DELETE CASCADE",
          ownerKey,
        ],
        [
          { name: "post_id", columns: "post_id, id" },
          { name: "user_id", columns: "user_id, id" },
          ...listIndexes(["created_at", "updated_at"], "post_id"),
        ],
      ),
    ];
  },
  down: () => ["comments", "posts"].map((table) => `DROP TABLE IF EXISTS ${table}`),
};
