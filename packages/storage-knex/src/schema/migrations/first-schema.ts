/**
 * The number of the first schema. Raise it when you change one of its steps, and make its fixtures
 * anew: until 0.1.0 a new column or table changes the first schema, and a database that was made
 * before is refused. From 0.1.0 on the first schema stays, and each change is a step of its own.
 */
export const firstSchema = "0001";

/** Drops tables, those first that refer to others. */
export const dropTables = (tables: readonly string[]): readonly string[] =>
  tables.toReversed().map((table) => `DROP TABLE IF EXISTS \`${table}\``);
