import { listIndexes } from "./list-indexes.ts";
import { addIndexes, dropIndexes, type Index, type Migration } from "./migration.ts";

/** The column that names the parent, by table. */
const parents = { posts: "user_id", comments: "post_id" } as const;

const unchanged = "updated_at = created_at";
const changed = "updated_at <> created_at";

const shared = (parent: string): readonly Index[] => [
  { name: `${parent}_unchanged`, columns: `${parent}, created_at, id`, where: unchanged },
  { name: `${parent}_created_changed`, columns: `${parent}, created_at, id`, where: changed },
  { name: `${parent}_updated_changed`, columns: `${parent}, updated_at, id`, where: changed },
];

/**
 * On SQLite and PostgreSQL, a post or comment that was never changed is in one index for both times. See
 * docs/performance/storage.md. MySQL has no partial indexes and keeps its own.
 */
export const shareIndexOfTimes: Migration = {
  name: "0036-share-index-of-times",
  part: "posts",
  up: (types) =>
    !types.hasPartialIndexes
      ? []
      : Object.entries(parents).flatMap(([table, parent]) => [
          ...addIndexes(types, table, shared(parent)),
          ...dropIndexes(
            types,
            table,
            listIndexes(["created_at", "updated_at"], parent).map(({ name }) => name),
          ),
        ]),
  down: (types) =>
    !types.hasPartialIndexes
      ? []
      : Object.entries(parents).flatMap(([table, parent]) => [
          ...addIndexes(types, table, listIndexes(["created_at", "updated_at"], parent)),
          ...shared(parent).map(({ name }) => `DROP INDEX IF EXISTS \`${table}_${name}\``),
        ]),
};
