import { builtInResources } from "@postern/app";
import knex from "knex";
import { createKnexStorage } from "../../src/index.ts";

// Brings the database up to date, and is killed before it has run more than so many statements.
const [url = "", statements = "0"] = process.argv.slice(2);
let left = Number(statements);
const client = knex.Client.prototype;
const { query } = client;
client.query = function (connection: unknown, given: unknown) {
  if (left === 0) process.kill(process.pid, "SIGKILL");
  left -= 1;
  return query.call(this, connection, given);
};
await createKnexStorage({ url, resources: builtInResources }).migrate.latest();
// So many statements were not needed.
process.exit(0);
