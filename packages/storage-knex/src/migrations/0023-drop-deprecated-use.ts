import { createDeprecatedUse } from "./0008-create-deprecated-use.ts";
import { type Migration, sqlOf } from "./migration.ts";

/**
 * Drops `deprecated_use`. Its rows are in `deprecated_call`, and nothing reads or writes it any
 * more.
 */
export const dropDeprecatedUse: Migration = {
  name: "0023-drop-deprecated-use",
  part: "always",
  up: () => ["DROP TABLE IF EXISTS deprecated_use"],
  down: (types) => createDeprecatedUse.up(types).map(sqlOf),
};
