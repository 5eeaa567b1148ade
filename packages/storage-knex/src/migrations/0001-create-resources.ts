import { createTable, type Migration, unique } from "./migration.ts";

/** Users, sessions, posts and comments. A column is called like its field. */
export const createResources: Migration = {
  name: "0001-create-resources",
  up: (types) => {
    const { id, moment, text, ascii, longText, integer } = types;
    const own = [`revision ${integer} NOT NULL`];
    const times = [`created_at ${moment} NOT NULL`, `updated_at ${moment} NOT NULL`];
    const ownerKey = "FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE";
    return [
      ...createTable(types, "users", [
        `id ${id} NOT NULL PRIMARY KEY`,
        ...own,
        `name ${text(200)} NOT NULL`,
        `email ${text(254)} NOT NULL`,
        `password ${ascii(255)} NOT NULL`,
        `phone ${text(40)} NULL`,
        `address ${text(500)} NULL`,
        `preferences ${longText} NOT NULL`,
        `subscription_status ${ascii(16)} NOT NULL`,
        `role ${ascii(16)} NOT NULL`,
        ...times,
        unique(types, "email"),
      ]),
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
        [{ name: "user_id", columns: "user_id, id" }],
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
          `status ${ascii(16)} NOT NULL`,
          `published_at ${moment} NULL`,
          ...times,
          ownerKey,
        ],
        [{ name: "user_id", columns: "user_id, id" }],
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
        ],
      ),
    ];
  },
  down: () => ["comments", "posts", "sessions", "users"].map((table) => `DROP TABLE IF EXISTS ${table}`),
};
