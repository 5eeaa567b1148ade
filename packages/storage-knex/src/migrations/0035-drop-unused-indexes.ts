import { listIndexes } from "./list-indexes.ts";
import { addIndexes, dropIndexes, type Index, type Migration } from "./migration.ts";

const times = ["created_at", "updated_at"];

/** Indexes that no list uses. Each cost every write one more tree. */
const unused: Readonly<Record<string, readonly Index[]>> = {
  account_tokens: listIndexes(times),
  second_factors: listIndexes(times),
  oauth_clients: [...listIndexes(times, "user_id"), ...listIndexes(times)],
  outside_identities: listIndexes(times),
  used_assertions: [...listIndexes(["expires_at", ...times], "user_id"), ...listIndexes(["expires_at", ...times])],
  user_exports: [...listIndexes(times, "user_id"), ...listIndexes(times)],
  user_export_pieces: [...listIndexes(times, "user_id"), ...listIndexes(times)],
};

/**
 * Drops the indexes of accounts' tables that no promised list and no statement of the server uses.
 */
export const dropUnusedIndexes: Migration = {
  name: "0035-drop-unused-indexes",
  part: "users",
  up: (types) =>
    Object.entries(unused).flatMap(([table, indexes]) =>
      dropIndexes(
        types,
        table,
        indexes.map(({ name }) => name),
      ),
    ),
  down: (types) => Object.entries(unused).flatMap(([table, indexes]) => addIndexes(types, table, indexes)),
};
