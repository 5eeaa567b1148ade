import type { Migration } from "./migration.ts";

/** Tables whose rows change all the time. */
const hotTables = ["job", "lane", "runner", "rate_limit"];

const settings = ["autovacuum_vacuum_scale_factor", "autovacuum_vacuum_threshold", "autovacuum_vacuum_cost_delay"];

/**
 * On PostgreSQL, clears old versions of the queue's rows soon. By default it waits until a fifth of a
 * table is old, ended jobs included, and claims pass over old versions meanwhile. Room in the pages
 * (`fillfactor`) would not help: every change of a job changes its state, which indexes use.
 */
export const vacuumQueueSooner: Migration = {
  name: "0042-vacuum-queue-sooner",
  part: "always",
  up: ({ server }) =>
    server === "postgres"
      ? hotTables.map(
          (table) =>
            `ALTER TABLE \`${table}\` SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_cost_delay = 0)`,
        )
      : [],
  down: ({ server }) =>
    server === "postgres" ? hotTables.map((table) => `ALTER TABLE \`${table}\` RESET (${settings.join(", ")})`) : [],
};
