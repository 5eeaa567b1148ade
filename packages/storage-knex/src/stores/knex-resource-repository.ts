import type { ResourceRepository } from "@postern/core";
import type { Resources } from "../condition-to-sql.ts";
import type { Database } from "../database.ts";
import type { ResourceGraph } from "../deleted-rows.ts";
import { resourceReads } from "./resource-reads.ts";
import { resourceWrites } from "./resource-writes.ts";

/**
 * The rows of every resource. Each resource has a table, and each column has the name of its field.
 */
export const knexResourceRepository = (
  database: Database,
  resources: Resources,
  graph: ResourceGraph,
): ResourceRepository => ({
  ...resourceReads(database, resources, graph),
  ...resourceWrites(database, resources, graph),
});
