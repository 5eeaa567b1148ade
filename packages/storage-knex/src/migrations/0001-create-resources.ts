import { createTable, type Index, type Migration, unique } from "./migration.ts";

/** An index for each order that a list can be asked for: of a whole table, or below each of `parent`. */
const listIndexes = (fields: readonly string[], parent?: string): readonly Index[] =>
  fields.map((field) => ({
    name: parent === undefined ? `by_${field}` : `${parent}_${field}`,
    columns: [...(parent === undefined ? [] : [parent]), field, "id"].join(", "),
  }));

/** Users, sessions, posts and comments. A column is called like its field. */
export const createResources: Migration = {
  name: "0001-create-resources",
  up: (types) => {
    const { id, moment, text, ascii, longText, json, integer } = types;
    const own = [`revision ${integer} NOT NULL`];
    const times = [`created_at ${moment} NOT NULL`, `updated_at ${moment} NOT NULL`];
    const ownerKey = "FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE";
    return [
      ...createTable(
        types,
        "users",
        [
          `id ${id} NOT NULL PRIMARY KEY`,
          ...own,
          `name ${text(200)} NOT NULL`,
          `email ${text(254)} NOT NULL`,
          `password ${ascii(255)} NOT NULL`,
          `phone ${text(40)} NULL`,
          `address ${text(500)} NULL`,
          `preferences ${json} NOT NULL`,
          `subscription ${json} NOT NULL`,
          `role ${ascii(64)} NOT NULL`,
          ...times,
          unique(types, "email"),
        ],
        listIndexes(["name", "created_at", "updated_at"]),
      ),
      ...createTable(
        types,
        "sessions",
        [
          `id ${id} NOT NULL PRIMARY KEY`,
          ...own,
          `user_id ${id} NOT NULL`,
          `refresh_digest ${ascii(255)} NOT NULL`,
          `last_used_at ${moment} NOT NULL`,
          `expires_at ${moment} NOT NULL`,
          ...times,
          ownerKey,
        ],
        [
          { name: "user_id", columns: "user_id, id" },
          ...listIndexes(["created_at", "updated_at"], "user_id"),
          ...listIndexes(["created_at", "updated_at"]),
        ],
      ),
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
  down: () => ["comments", "posts", "sessions", "users"].map((table) => `DROP TABLE IF EXISTS ${table}`),
};
