/** The drivers of SQLite, in the order in which they are tried. */
export const sqliteDriverNames = ["node:sqlite", "better-sqlite3", "sqlite3"] as const;

export type SqliteDriverName = (typeof sqliteDriverNames)[number];
