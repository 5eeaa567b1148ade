import type { Dialect } from "./dialect.ts";

/** By LIKE, where that compares each character. The escape is no backslash, which MySQL reads by its mode. */
export const fitsPattern: Dialect["fitsPattern"] = (column, pattern) => ({
  sql: `${column} LIKE ? ESCAPE '!'`,
  values: [pattern.replaceAll(/[!%_]/g, "!$&").replaceAll("*", "%")],
});
