import { createTable, type Migration, unique } from "./migration.ts";

/**
 * The keys that sign access tokens. `place` is `active`, `next` or empty. At most one key is
 * active, and at most one is next.
 */
export const createSigningKeys: Migration = {
  name: "0022-create-signing-keys",
  part: "users",
  tables: ["signing_key"],
  up: (types) => {
    const { ascii, longText, bigint } = types;
    return createTable(types, "signing_key", [
      `kid ${ascii(64)} NOT NULL PRIMARY KEY`,
      `place ${ascii(8)} NULL`,
      `public_key ${longText} NOT NULL`,
      `sealed_key ${longText} NULL`,
      `created_at ${bigint} NOT NULL`,
      `active_from ${bigint} NULL`,
      `ends_at ${bigint} NULL`,
      unique(types, "place"),
    ]);
  },
  down: () => ["DROP TABLE IF EXISTS signing_key"],
};
