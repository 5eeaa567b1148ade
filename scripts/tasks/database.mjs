/** A database of PostgreSQL that a task has for itself. */
import { randomBytes } from "node:crypto";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const { Client } = createRequire(join(root, "apps", "server", "package.json"))("pg");
const server = process.env.POSTERN_TEST_POSTGRES_URL ?? "postgres://postgres@127.0.0.1:5432/postgres";

const asked = async (url, statement) => {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
};

/** A new, empty one on the server that the tests use. `drop` removes it. */
export const scratchDatabase = async () => {
  const name = `postern_task_${randomBytes(6).toString("hex")}`;
  await asked(server, `create database ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    rows: (statement) => asked(url.href, statement),
    drop: () => asked(server, `drop database ${name} with (force)`),
  };
};
