import { createDeprecatedUse } from "./0008-create-deprecated-use.ts";
import { type Migration, sqlOf } from "./migration.ts";

/**
 * Drops `deprecated_use`, which nothing reads or writes any more since its rows moved to
 * `deprecated_call`.
 */
export const dropDeprecatedUse: Migration = {
  name: "0023-drop-deprecated-use",
  part: "always",
  up: () => ["DROP TABLE IF EXISTS deprecated_use"],
  down: (types) => createDeprecatedUse.up(types).map(sqlOf),
};
