import { existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import type { MigrationPlace } from "../migrate.ts";
import { sqliteTypes } from "../migrations/column-types.ts";
import { unavailable } from "../translate-error.ts";
import type { SqliteSettings } from "./connection.ts";
import { takeFileLock } from "./file-lock.ts";
import { sqlitePool } from "./pool.ts";

const waitMs = 60_000;

/** Alone by a lock file beside the database; all steps in one transaction. */
export const sqliteMigrations = (file: string, settings: SqliteSettings): MigrationPlace => ({
  exclusively: async (action) => {
    mkdirSync(dirname(file), { recursive: true });
    const lock = await takeFileLock(`${file}.migrating`, { waitMs, create: true, remove: false });
    if (typeof lock === "string") throw unavailable(new Error("another process has been migrating for a minute"));
    const pool = sqlitePool(file, 1, settings);
    try {
      return await action(pool.knex, sqliteTypes);
    } finally {
      await pool.close();
      await lock.release();
    }
  },
  look: async (action) => {
    if (!existsSync(file)) return action({ types: sqliteTypes });
    const pool = sqlitePool(file, 1, settings);
    try {
      return await action({ types: sqliteTypes, knex: pool.knex });
    } finally {
      await pool.close();
    }
  },
});
