import { randomBytes } from "node:crypto";
import { readConfig, startServer } from "@postern/server";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startFailureOf } from "../../../apps/server/src/start-failure.ts";
import { freePort } from "../../../test/free-port.ts";
import { openPostern } from "../../postern/src/index.ts";
import {
  adminConnection,
  doesMysqlAnswer,
  doesPostgresAnswer,
  dropOnMysql,
  dropOnPostgres,
  mysqlUrl,
  postgresConnection,
  postgresUrl,
} from "../../storage-knex/test/database-servers.ts";
import { environment, postern } from "./command-line.ts";

const secretKey = Buffer.alloc(32, 7).toString("base64");
const name = `postern_cause_${randomBytes(4).toString("hex")}`;

const messageOf = (thrown: unknown): string => {
  const causes: string[] = [];
  for (let error = thrown; error instanceof Error; error = error.cause) causes.push(error.message);
  return causes.join("\n");
};

/** What each way to open the database says. */
const surfaces: Readonly<Record<string, (url: string) => Promise<string>>> = {
  "the start": async (url) => {
    const variables = { ...environment({ DATABASE_URL: url, POSTERN_SECRET_KEY: secretKey }), LOG_LEVEL: "error" };
    const config = { ...readConfig(variables, false), databaseWaitMs: 0 };
    try {
      await (await startServer(config, {})).stop();
      return "it starts";
    } catch (thrown) {
      return startFailureOf(thrown).message;
    }
  },
  openPostern: async (url) => {
    try {
      await (await openPostern({ database: url, secretKey, databaseWaitMs: 0, logLevel: "error" })).stop();
      return "it opens";
    } catch (thrown) {
      return messageOf(thrown);
    }
  },
  ...Object.fromEntries(
    [["doctor"], ["status"], ["migrate"], ["events", "list"], ["jobs", "list"]].map((line) => [
      `postern ${line.join(" ")}`,
      async (url: string) => {
        const { out, err } = await postern(line, { variables: { DATABASE_URL: url, POSTERN_SECRET_KEY: secretKey } });
        return out + err;
      },
    ]),
  ),
};

interface Cause {
  readonly url: () => string;
  readonly says: RegExp;
  /** Whether it is met only where tables are made. */
  readonly isOfMigrations?: boolean;
}

const urlOf = (server: URL, parts: { user?: string; password?: string; database?: string; port?: number }): string => {
  const url = new URL(server);
  url.username = parts.user ?? url.username;
  url.password = parts.password ?? url.password;
  url.port = String(parts.port ?? url.port);
  url.pathname = `/${parts.database ?? name}`;
  return url.href;
};

const describeCauses = (title: string, answers: boolean, causes: Readonly<Record<string, Cause>>): void => {
  describe.skipIf(!answers)(title, () => {
    describe.each(Object.entries(causes))("%s", (_cause, { url, says, isOfMigrations = false }) => {
      test.each(Object.keys(surfaces))("is told by %s", async (surface) => {
        const said = await surfaces[surface]?.(url());
        const isMet = !isOfMigrations || ["the start", "openPostern", "postern migrate"].includes(surface);
        expect(said).toMatch(isMet ? says : /run `?postern migrate/);
        expect(said).not.toMatch(/Something unforeseen|s3cr3t/);
      });
    });
  });
};

const postgresAnswers = await doesPostgresAnswer();
const mysqlAnswers = await doesMysqlAnswer();
let unused = 0;

beforeAll(async () => {
  unused = await freePort();
  if (postgresAnswers) {
    const client = await postgresConnection();
    await client.query(`CREATE DATABASE "${name}"`);
    await client.query(
      `CREATE DATABASE "${name}_latin" ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0`,
    );
    await client.query(`CREATE ROLE "${name}_plain" LOGIN`);
    await client.query(`CREATE ROLE "${name}_reads" LOGIN SUPERUSER`);
    await client.query(`ALTER ROLE "${name}_reads" SET default_transaction_read_only = on`);
    await client.query(`CREATE ROLE "${name}_never"`);
    await client.end();
  }
  if (mysqlAnswers) {
    const admin = await adminConnection();
    await admin.query(`CREATE DATABASE \`${name}\``);
    await admin.query(`CREATE USER '${name}'@'%' IDENTIFIED BY 's3cr3t'`);
    await admin.query(`CREATE USER '${name}_none'@'%'`);
    await admin.end();
  }
});

afterAll(async () => {
  if (postgresAnswers) {
    await dropOnPostgres([name, `${name}_latin`]);
    const client = await postgresConnection();
    for (const role of ["plain", "reads", "never"]) await client.query(`DROP ROLE IF EXISTS "${name}_${role}"`);
    await client.end();
  }
  if (mysqlAnswers) {
    const admin = await adminConnection();
    await admin.query(`DROP USER IF EXISTS '${name}'@'%', '${name}_none'@'%'`);
    await admin.end();
    await dropOnMysql([name]);
  }
});

describeCauses("on PostgreSQL", postgresAnswers, {
  "a server that is down": {
    url: () => urlOf(postgresUrl, { port: unused }),
    says: /ECONNREFUSED.*nothing listens there/,
  },
  "an unknown role": {
    url: () => urlOf(postgresUrl, { user: "nobody_here" }),
    says: /role "nobody_here" does not exist.*make the role/,
  },
  "a role that may not log in": {
    url: () => urlOf(postgresUrl, { user: `${name}_never` }),
    says: /is not permitted to log in.*ALTER ROLE … LOGIN/,
  },
  "a server that takes no writes": {
    url: () => urlOf(postgresUrl, { user: `${name}_reads` }),
    says: /takes no writes: let the URL lead to the primary/,
  },
  "a role without CREATE on public": {
    url: () => urlOf(postgresUrl, { user: `${name}_plain` }),
    says: /permission denied for schema public.*GRANT CREATE, USAGE ON SCHEMA public.*\?schema=/,
    isOfMigrations: true,
  },
  "a role without CREATE on the database": {
    url: () => `${urlOf(postgresUrl, { user: `${name}_plain` })}?schema=shop`,
    says: /permission denied for database .*GRANT CREATE ON DATABASE/,
    isOfMigrations: true,
  },
  "a database that the role may not make": {
    url: () => urlOf(postgresUrl, { user: `${name}_plain`, database: `${name}_more` }),
    says: /permission denied to create database.*CREATE DATABASE|database ".*_more" does not exist/,
  },
  "a database in LATIN1": {
    url: () => urlOf(postgresUrl, { database: `${name}_latin` }),
    says: /encoding of the database is LATIN1.*createdb --encoding=UTF8 --template=template0/,
  },
});

describeCauses("on MariaDB", mysqlAnswers, {
  "a server that is down": {
    url: () => urlOf(mysqlUrl, { port: unused }),
    says: /ECONNREFUSED.*nothing listens there/,
  },
  "a wrong password": {
    url: () => urlOf(mysqlUrl, { user: name, password: "wrong" }),
    says: /Access denied.*the user or the password is wrong/,
  },
  "an unknown user": {
    url: () => urlOf(mysqlUrl, { user: "nobody_here", password: "" }),
    says: /Access denied.*the user or the password is wrong/,
  },
  "a user without rights": {
    url: () => urlOf(mysqlUrl, { user: `${name}_none`, password: "" }),
    says: /denied.*GRANT ALL ON the database/,
  },
});
