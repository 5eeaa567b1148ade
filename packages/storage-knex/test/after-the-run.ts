export { dropDatabasesOfRun as teardown } from "./database-servers.ts";
