import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { runCli } from "@postern/cli";
import { type RunningServer, readConfig, startServer } from "@postern/server";
import mysql from "mysql2/promise";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const mysqlUrl = new URL(process.env.POSTERN_TEST_MYSQL_URL ?? "mysql://root@127.0.0.1:3306/");

const onMysql = async (sql: string): Promise<boolean> => {
  try {
    const connection = await mysql.createConnection(mysqlUrl.href);
    await connection.query(sql);
    await connection.end();
    return true;
  } catch (thrown) {
    if (process.env.POSTERN_REQUIRE_DATABASES === "1") throw thrown;
    return false;
  }
};

const collector = (chunks: string[]): Writable =>
  new Writable({
    write: (chunk, _encoding, done) => {
      chunks.push(String(chunk));
      done();
    },
  });

const database = `postern_test_${randomBytes(6).toString("hex")}`;
const hasMysql = await onMysql(`CREATE DATABASE ${database}`);
afterAll(() => onMysql(`DROP DATABASE IF EXISTS ${database}`));

const kinds = [
  { name: "SQLite", urlIn: (directory: string) => `sqlite:${join(directory, "postern.db")}` },
  ...(hasMysql ? [{ name: "MariaDB", urlIn: () => new URL(`/${database}`, mysqlUrl).href }] : []),
];

describe.each(kinds)("API keys of two nodes on one database, $name", ({ urlIn }) => {
  const directory = mkdtempSync(join(tmpdir(), "postern-keys-"));
  const environment = {
    DATABASE_URL: urlIn(directory),
    POSTERN_SECRET_KEY: randomBytes(32).toString("base64"),
    PORT: "0",
    LOG_LEVEL: "error",
  };
  let nodes: readonly RunningServer[] = [];

  beforeAll(async () => {
    const config = readConfig(environment, false);
    nodes = [await startServer(config, {}), await startServer({ ...config, role: "http" }, {})];
  });
  afterAll(async () => {
    await Promise.all(nodes.map((node) => node.stop()));
    rmSync(directory, { recursive: true, force: true });
  });

  const postern = async (line: readonly string[], stdin = "") => {
    const out: string[] = [];
    const err: string[] = [];
    const code = await runCli(line, {
      stdin: Readable.from([stdin]),
      stdout: collector(out),
      stderr: collector(err),
      environment,
      directory,
    });
    return { code, out: out.join(""), err: err.join("") };
  };

  const asked = (path: string, key: string) =>
    Promise.all(
      nodes.map(async ({ url }) => {
        const answer = await fetch(`${url}/api/v2${path}`, { headers: { authorization: `Bearer ${key}` } });
        const { code } = (await answer.json()) as { readonly code?: string };
        return [answer.status, code] as const;
      }),
    );

  test("are made, used, replaced and ended, and hold on both nodes with the next request", async () => {
    const ada = ["--name", "Ada", "--email", "ada@example.com"];
    const guessable = await postern(["users", "create", ...ada], "Summer2026!\n");
    expect([guessable.code, guessable.err]).toEqual([2, expect.stringContaining("words that are guessed first")]);
    expect((await postern(["users", "create", ...ada], "a heron stands in cold water\n")).code).toBe(0);
    const making = ["keys", "create", "--user", "ada@example.com", "--name", "export", "--json"];
    const wrong = await postern([...making, "--scope", "posts:reed"]);
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('no operation needs "posts:reed"')]);
    const made = await postern([...making, "--scope", "posts:read", "--scope", "users:read"]);
    expect(made.err).toBe("");
    const { id, key } = JSON.parse(made.out);
    expect(key).toMatch(/^ak_[0-9A-Za-z]{22}_[0-9A-Za-z]{49}$/);
    expect(await asked("/users/me", key)).toEqual([
      [200, undefined],
      [200, undefined],
    ]);
    expect(await asked("/sessions", key)).toEqual([
      [403, "insufficient_scope"],
      [403, "insufficient_scope"],
    ]);

    const rotated = await postern(["keys", "rotate", id, "--overlap", "24h"]);
    const next = rotated.out.trim();
    expect([rotated.code, next === key]).toEqual([0, false]);
    for (const each of [key, next]) {
      expect(await asked("/users/me", each)).toEqual([
        [200, undefined],
        [200, undefined],
      ]);
    }
    const listed = JSON.parse((await postern(["keys", "list", "--user", "ada@example.com", "--json"])).out);
    expect(listed.items.map(({ name, scopes }: { name: string; scopes: string[] }) => [name, scopes])).toEqual([
      ["export", ["posts:read", "users:read"]],
      ["export", ["posts:read", "users:read"]],
    ]);
    expect(JSON.stringify(listed)).not.toContain("digest");

    expect((await postern(["keys", "revoke", id])).code).toBe(7);
    expect((await postern(["keys", "revoke", id, "--yes"])).code).toBe(0);
    expect(await asked("/users/me", key)).toEqual([
      [401, "invalid_token"],
      [401, "invalid_token"],
    ]);
    expect((await asked("/users/me", next)).map(([status]) => status)).toEqual([200, 200]);
    expect((await postern(["keys", "revoke", id, "--yes"])).code).toBe(3);
    const audit = JSON.parse((await postern(["audit", "list", "--json"])).out);
    expect(audit.items.map(({ action }: { action: string }) => action)).toEqual(
      expect.arrayContaining(["api-keys.create", "api-keys.rotate", "api-keys.delete"]),
    );
  });
});

test("postern keys scopes lists what a key can be used for", async () => {
  const out: string[] = [];
  const directory = mkdtempSync(join(tmpdir(), "postern-keys-"));
  const code = await runCli(["keys", "scopes"], {
    stdin: Readable.from([""]),
    stdout: collector(out),
    stderr: collector([]),
    environment: { DATABASE_URL: `sqlite:${join(directory, "postern.db")}` },
    directory,
  });
  rmSync(directory, { recursive: true, force: true });
  expect([code, out.join("").split("\n")]).toEqual([0, expect.arrayContaining(["events:replay", "posts:read"])]);
});
