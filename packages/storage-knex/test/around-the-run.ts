import { readdirSync } from "node:fs";
import { join, parse } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "tsup";
import { dropDatabasesOfRun } from "./database-servers.ts";
import { programsFolder } from "./program.ts";

/** What other processes of the tests run. A process that compiles the sources itself takes seconds to begin. */
const processes = fileURLToPath(new URL("processes/", import.meta.url));

export const setup = (): Promise<void> =>
  build({
    entry: Object.fromEntries(readdirSync(processes).map((file) => [parse(file).name, join(processes, file)])),
    outDir: programsFolder,
    format: "esm",
    platform: "node",
    target: "node20.19",
    // Its own dependencies are found from its folder. All else is bundled.
    external: ["knex", "mysql2", "pg", "sqlite3"],
    noExternal: [/^@postern\//],
    esbuildOptions: (options) => {
      options.conditions = ["@postern/source", "node"];
    },
    config: false,
    silent: true,
  });

export const teardown = dropDatabasesOfRun;
