/**
 * Writes the fixtures of the present schema to `test/schemas`, with the databases of the tests:
 * `node --conditions=@postern/source --import tsx packages/storage-knex/scripts/schema-fixtures.ts`.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { backUp } from "../src/index.ts";
import { migrations } from "../src/schema/migrations/index.ts";
import { dropOnMysql, dropOnPostgres, mysqlUrl, postgresUrl } from "../test/database-servers.ts";
import { fillSchema } from "../test/schema-rows.ts";

const folder = fileURLToPath(new URL("../../../test/schemas/", import.meta.url));
const directory = mkdtempSync(join(tmpdir(), "postern-fixtures-"));
const name = `postern_fixture_${process.pid}`;
const number = Number.parseInt(migrations.at(-1)?.name ?? "", 10);
const fixture = (kind: string): string => join(folder, `${String(number).padStart(4, "0")}.${kind}.gz`);

const file = join(directory, "test.db");
await fillSchema(`sqlite:${file}`);
// The backup of a file is a file without a log beside it.
await backUp(`sqlite:${file}`, join(directory, "backup.db"), {});
writeFileSync(fixture("sqlite"), gzipSync(readFileSync(join(directory, "backup.db"))));

const mysql = new URL(`/${name}`, mysqlUrl).href;
await fillSchema(mysql);
await backUp(mysql, join(directory, "mariadb.gz"), {});
writeFileSync(fixture("mariadb"), readFileSync(join(directory, "mariadb.gz")));
await dropOnMysql([name]);

const postgres = new URL(`/${name}`, postgresUrl).href;
await fillSchema(postgres);
await backUp(postgres, join(directory, "postgresql"), {});
writeFileSync(fixture("postgresql"), gzipSync(readFileSync(join(directory, "postgresql"))));
await dropOnPostgres([name]);
rmSync(directory, { recursive: true });
