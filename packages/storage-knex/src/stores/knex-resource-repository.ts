import type { ResourceRepository } from "@postern/core";
import type { Resources } from "../condition-to-sql.ts";
import type { Database } from "../database.ts";
import type { ResourceGraph } from "../deleted-rows.ts";
import type { Dialect } from "../dialect.ts";
import { type ReadParts, resourceReads } from "./resource-reads.ts";
import { resourceStatements } from "./resource-statements.ts";
import { resourceWrites, type WriteParts } from "./resource-writes.ts";

/** What the repositories of all transactions share. */
export type RepositoryParts = ReadParts & WriteParts;

export const repositoryParts = (dialect: Dialect, resources: Resources, graph: ResourceGraph): RepositoryParts => ({
  dialect,
  resources,
  graph,
  statements: resourceStatements(dialect, resources, graph),
  inserts: new WeakMap(),
});

/**
 * The rows of every resource. Each resource has a table, and each column has the name of its field.
 */
export const knexResourceRepository = (database: Database, parts: RepositoryParts): ResourceRepository => ({
  ...resourceReads(database, parts),
  ...resourceWrites(database, parts),
});
