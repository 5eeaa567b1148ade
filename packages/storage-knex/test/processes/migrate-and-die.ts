import knex from "knex";
import { laterVersion } from "../later-step.ts";

// Brings the database to a later version, and is killed before it has run more than so many statements.
const [url = "", statements = "0"] = process.argv.slice(2);
let left = Number(statements);
const client = knex.Client.prototype;
const { query } = client;
client.query = function (connection: unknown, given: unknown) {
  if (left === 0) process.kill(process.pid, "SIGKILL");
  left -= 1;
  return query.call(this, connection, given);
};
await laterVersion(url).latest();
// So many statements were not needed.
process.exit(0);
