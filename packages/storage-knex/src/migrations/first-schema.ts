import { createUsers } from "./0001a-create-users.ts";
import { createPosts } from "./0001b-create-posts.ts";
import { createJobs } from "./0002a-create-jobs.ts";
import { listIndexes } from "./list-indexes.ts";
import { addColumn, type ColumnTypes, type Index, type IndexAddition, type Step } from "./migration.ts";

/**
 * Only a database of the first schema has this column. Its first three steps have the names of today's, and
 * made less: they were written anew before there was a second schema.
 */
export const markOfFirstSchema = { table: "users", column: "subscription_status" } as const;

/** MySQL has its keys in the statement that makes a table, which is left out for one that is there. */
const addKeys = (table: string, indexes: readonly Index[]): readonly IndexAddition[] =>
  indexes.map(({ name, columns, unique = false }) => ({
    sql: `ALTER TABLE \`${table}\` ADD ${unique ? "UNIQUE " : ""}KEY \`${name}\` (${columns})`,
    table,
    newIndex: name,
  }));

const changesOnMysql = ({ ascii, json }: ColumnTypes): readonly Step[] => [
  `ALTER TABLE users MODIFY subscription ${json} NOT NULL, MODIFY preferences ${json} NOT NULL, MODIFY role ${ascii(64)} NOT NULL`,
  `ALTER TABLE posts MODIFY status ${ascii(64)} NOT NULL`,
  ...addKeys("users", listIndexes(["name", "created_at", "updated_at"])),
  ...addKeys("sessions", listIndexes(["created_at", "updated_at"], "user_id")),
  ...addKeys("sessions", listIndexes(["created_at", "updated_at"])),
  ...addKeys("posts", listIndexes(["title", "published_at", "created_at", "updated_at"], "user_id")),
  ...addKeys("comments", listIndexes(["created_at", "updated_at"], "post_id")),
  ...addKeys("job", [
    { name: "in_line", columns: "order_key, id" },
    { name: "ended", columns: "finished_at" },
    { name: "unique_key", columns: "unique_key", unique: true },
  ]),
];

/**
 * Gives a database of the first schema what the first three steps make today. Like a step, it can be run
 * again after a kill at any statement: the last one takes away the mark.
 */
export const leaveFirstSchema = (types: ColumnTypes): readonly Step[] => {
  const { server, json, bigint, integer, key } = types;
  const isSqlite = server === "sqlite";
  const status = "subscription_status";
  const subscription = isSqlite
    ? `'{"status":"' || ${status} || '","since":null}'`
    : `CONCAT('{"status":"', ${status}, '","since":null}')`;
  return [
    // MySQL gives such a column no default. There it is NULL until it is filled.
    ...addColumn(types, "users", {
      name: "subscription",
      type: isSqlite ? `${json} NOT NULL DEFAULT '{}'` : `${json} NULL`,
    }),
    `UPDATE users SET subscription = ${subscription}`,
    ...addColumn(types, "job", { name: "suspect", type: `${integer} NOT NULL DEFAULT 0` }),
    ...addColumn(types, "job", { name: "cancel_at", type: `${bigint} NULL` }),
    ...addColumn(types, "job", { name: "order_key", type: `${key(191)} NULL` }),
    ...addColumn(types, "job", { name: "unique_key", type: `${key(191)} NULL` }),
    // What is there already is left out.
    ...[createUsers, createPosts, createJobs].flatMap((step) => step.up(types)),
    ...(isSqlite ? [] : changesOnMysql(types)),
    `ALTER TABLE users DROP COLUMN ${status}`,
  ];
};
