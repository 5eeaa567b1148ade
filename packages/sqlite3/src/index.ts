/**
 * The library `sqlite3`. Node 22.22.3 and 24.15 and later have an SQLite of their own that Postern
 * can use. Therefore this package excludes them by its `engines`, and package managers skip it there,
 * as an optional dependency: it compiles for more than a minute where no binary can be had.
 */
export { default } from "sqlite3";
