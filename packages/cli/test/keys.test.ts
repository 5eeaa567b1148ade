import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RunningServer, readConfig, startServer } from "@postern/server";
import mysql from "mysql2/promise";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { postern, runIn } from "./command-line.ts";

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

  const posternHere = (line: readonly string[], stdin?: string) => runIn({ directory, environment }, line, stdin);

  const asked = (path: string, key: string) =>
    Promise.all(
      nodes.map(async ({ url }) => {
        const answer = await fetch(`${url}/api/v2${path}`, { headers: { authorization: `Bearer ${key}` } });
        const { code } = (await answer.json()) as { readonly code?: string };
        return [answer.status, code] as const;
      }),
    );

  test("are made, used, replaced and ended, each with effect on both nodes from the next request on", async () => {
    const ada = ["--name", "Ada", "--email", "ada@example.com"];
    const guessable = await posternHere(["users", "create", ...ada], "Summer2026!\n");
    expect([guessable.code, guessable.err]).toEqual([2, expect.stringContaining("words that are guessed first")]);
    expect((await posternHere(["users", "create", ...ada], "a heron stands in cold water\n")).code).toBe(0);
    const making = ["keys", "create", "--user", "ada@example.com", "--name", "export", "--json"];
    const wrong = await posternHere([...making, "--scope", "posts:reed"]);
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('no operation needs "posts:reed"')]);
    const made = await posternHere([...making, "--scope", "posts:read", "--scope", "users:read"]);
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

    const rotated = await posternHere(["keys", "rotate", id, "--overlap", "24h"]);
    const next = rotated.out.trim();
    expect([rotated.code, next === key]).toEqual([0, false]);
    for (const each of [key, next]) {
      expect(await asked("/users/me", each)).toEqual([
        [200, undefined],
        [200, undefined],
      ]);
    }
    const listed = JSON.parse((await posternHere(["keys", "list", "--user", "ada@example.com", "--json"])).out);
    expect(listed.items.map(({ name, scopes }: { name: string; scopes: string[] }) => [name, scopes])).toEqual([
      ["export", ["posts:read", "users:read"]],
      ["export", ["posts:read", "users:read"]],
    ]);
    expect(JSON.stringify(listed)).not.toContain("digest");

    expect((await posternHere(["keys", "revoke", id])).code).toBe(7);
    expect((await posternHere(["keys", "revoke", id, "--yes"])).code).toBe(0);
    expect(await asked("/users/me", key)).toEqual([
      [401, "invalid_token"],
      [401, "invalid_token"],
    ]);
    expect((await asked("/users/me", next)).map(([status]) => status)).toEqual([200, 200]);
    expect((await posternHere(["keys", "revoke", id, "--yes"])).code).toBe(3);
    const audit = JSON.parse((await posternHere(["audit", "list", "--json"])).out);
    expect(audit.items.map(({ action }: { action: string }) => action)).toEqual(
      expect.arrayContaining(["api-keys.create", "api-keys.rotate", "api-keys.delete"]),
    );
  });
});

test("postern keys scopes lists what a key can be used for", async () => {
  const { code, out } = await postern(["keys", "scopes"]);
  expect([code, out.split("\n")]).toEqual([0, expect.arrayContaining(["events:replay", "posts:read"])]);
});
