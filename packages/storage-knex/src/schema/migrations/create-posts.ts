import { dropTables, firstSchema } from "./first-schema.ts";
import { listIndexes } from "./list-indexes.ts";
import { type ColumnTypes, createTable, type Index, type Migration } from "./migration.ts";

const unchanged = "updated_at = created_at";
const changed = "updated_at <> created_at";

/**
 * Lists by a time. On SQLite and PostgreSQL, a post or comment that was never changed is in one index for
 * both times: see docs/performance/storage.md. MySQL has no partial indexes.
 */
const timesOf = ({ hasPartialIndexes }: ColumnTypes, parent: string): readonly Index[] =>
  hasPartialIndexes
    ? [
        { name: `${parent}_unchanged`, columns: `${parent}, created_at, id`, where: unchanged },
        { name: `${parent}_created_changed`, columns: `${parent}, created_at, id`, where: changed },
        { name: `${parent}_updated_changed`, columns: `${parent}, updated_at, id`, where: changed },
      ]
    : listIndexes(["created_at", "updated_at"], parent);

const tables = ["posts", "comments"];

/** Posts and their comments. Each column has the name of its field. */
export const createPosts: Migration = {
  name: `${firstSchema}-create-posts`,
  part: "posts",
  tables,
  up: (types) => {
    const { id, moment, text, ascii, longText, integer } = types;
    const own = [`id ${id} NOT NULL PRIMARY KEY`, `revision ${integer} NOT NULL`];
    const times = [`created_at ${moment} NOT NULL`, `updated_at ${moment} NOT NULL`];
    const ownerKey = "FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE";
    return [
      ...createTable(
        types,
        "posts",
        [
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
          ...listIndexes(["title", "published_at"], "user_id"),
          ...timesOf(types, "user_id"),
        ],
      ),
      ...createTable(
        types,
        "comments",
        [
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
          ...timesOf(types, "post_id"),
        ],
      ),
    ];
  },
  down: () => dropTables(tables),
};
