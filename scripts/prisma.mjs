/**
 * Runs the example of Prisma with the client that Prisma itself generates, on PostgreSQL. Its engine is
 * WebAssembly, so the registry has all of it. What would be downloaded is the engine of migrations,
 * which generating does not use. `pnpm install` does not install Prisma, because it is large.
 *   node scripts/prisma.mjs
 */
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const version = "7.10.0";
const root = fileURLToPath(new URL("..", import.meta.url));
// Below the examples, which have the packages as dependencies.
const folder = join(root, "examples", ".cache", "prisma");
const server = process.env.POSTERN_TEST_POSTGRES_URL ?? "postgres://postgres@127.0.0.1:5432/postgres";

const schema = `
generator client {
  provider = "prisma-client"
  output   = "./generated"
}
datasource db {
  provider = "postgresql"
}
model Order {
  id    Int    @id
  state String
  @@map("orders")
}
`;

const program = `
import { deepEqual, equal, rejects } from "node:assert/strict";
import pg from "pg";
import { newJob, openPostern } from "postern";
import { packOrder } from "../../transactions/pack-order.ts";
import { onOneConnection, placeOrder } from "../../transactions/with-prisma.ts";
import { PrismaClient } from "./generated/client.ts";

const [server = "", name = ""] = process.argv.slice(2);
const url = new URL(server);
url.pathname = name;
const at = async (place: string, ...statements: string[]) => {
  const client = new pg.Client(place);
  await client.connect();
  const rows = [];
  for (const statement of statements) rows.push((await client.query(statement)).rows);
  await client.end();
  return rows.at(-1);
};
await at(server, \`CREATE DATABASE \${name}\`);
try {
  const secretKey = new Uint8Array(32).fill(1);
  const postern = await openPostern({ database: url.href, secretKey, jobs: [packOrder], workers: false });
  await at(url.href, "CREATE TABLE orders (id integer PRIMARY KEY, state text NOT NULL)");
  const { adapter, connection, end } = onOneConnection(url.href);
  const prisma = new PrismaClient({ adapter });
  await placeOrder(prisma, connection, postern, 1);
  await rejects(placeOrder(prisma, connection, postern, 1), { code: "P2002" });
  const thrown = prisma.$transaction(async (tx) => {
    await tx.order.create({ data: { id: 2, state: "placed" } });
    await postern.within(connection()).enqueue(newJob(packOrder, { order: 2 }));
    throw new Error("no");
  });
  await rejects(thrown, { message: "no" });
  deepEqual(await at(url.href, "SELECT * FROM orders"), [{ id: 1, state: "placed" }]);
  equal((await postern.ports.storage.jobRecords.countByState()).ready, 1);
  await prisma.$disconnect();
  await end();
  await postern.stop();
} finally {
  await at(server, \`DROP DATABASE \${name} WITH (FORCE)\`);
}
`;

const run = (command, args, env = {}) => {
  const { status } = spawnSync(command, args, { cwd: folder, stdio: "inherit", env: { ...process.env, ...env } });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} failed`);
};

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
try {
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
  const packages = ["prisma", "@prisma/client"].map((name) => `${name}@${version}`);
  run("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", ...packages]);
  writeFileSync(join(folder, "schema.prisma"), schema);
  writeFileSync(join(folder, "run.ts"), program);
  const engine = join(folder, "no-migrations.sh");
  writeFileSync(engine, "#!/bin/sh\nexit 1\n");
  chmodSync(engine, 0o755);
  run(join(folder, "node_modules", ".bin", "prisma"), ["generate", "--schema", "schema.prisma"], {
    PRISMA_SCHEMA_ENGINE_BINARY: engine,
    CHECKPOINT_DISABLE: "1",
  });
  const name = `postern_prisma_${process.pid}`;
  run(process.execPath, ["--conditions=@postern/source", "--import", "tsx", "run.ts", server, name]);
  process.stdout.write(`Prisma ${version}, with its own client, keeps an order and its job together, or neither.\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
