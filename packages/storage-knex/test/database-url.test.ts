import { resolve } from "node:path";
import { expect, test } from "vitest";
import { createKnexStorage } from "../src/create-knex-storage.ts";
import { parseDatabaseUrl } from "../src/database-url.ts";

test("takes the path of a SQLite file, relative or absolute", () => {
  expect(parseDatabaseUrl("sqlite:./data/postern.db")).toEqual({ kind: "sqlite", file: resolve("data/postern.db") });
  expect(parseDatabaseUrl("sqlite:///var/lib/postern.db")).toEqual({ kind: "sqlite", file: "/var/lib/postern.db" });
});

test("takes the parts of a MySQL or MariaDB URL", () => {
  expect(parseDatabaseUrl("mariadb://u%40x:p%3Aw@db.example:3307/postern?ssl=true")).toEqual({
    kind: "mysql",
    host: "db.example",
    port: 3307,
    user: "u@x",
    password: "p:w",
    database: "postern",
    socketPath: undefined,
    ssl: true,
  });
});

test("names an option that does not exist, and a resource that was written by hand", () => {
  const make = createKnexStorage as (options?: unknown) => unknown;
  const url = "sqlite:./never-opened.db";
  expect(() => make()).toThrow('createKnexStorage: "url" is missing');
  expect(() => make({ url, resource: [] })).toThrow('there is no option "resource"; did you mean "resources"?');
  expect(() => make({ url, resources: [null, { name: "task" }] })).toThrow(
    "resources[0]: make it with defineResource\nresources[1]: make it with defineResource",
  );
});

test("refuses what it does not support, names what it does, and never repeats a password", () => {
  const refused: readonly (readonly [string, RegExp])[] = [
    ["postgres://user:hunter2@host/db", /unknown scheme "postgres".*sqlite:.*mysql:.*mariadb:/],
    ["./data/postern.db", /has no scheme/],
    ["sqlite:", /path .* is missing/],
    ["sqlite::memory:", /in-memory/],
    ["sqlite:./a.db?mode=ro", /no parameters/],
    ["mysql://user:hunter2@host", /database name/],
    ["mysql://user:hunter2@host/a;b", /database name/],
    ["mysql://user:hunter2@host/db?multipleStatements=true", /unknown parameter "multipleStatements"/],
    ["mysql://user:hunter2@host:port/db", /not a URL/],
  ];
  for (const [url, message] of refused) {
    expect(() => parseDatabaseUrl(url), url).toThrow(TypeError);
    expect(() => parseDatabaseUrl(url), url).toThrow(message);
    expect(() => createKnexStorage({ url }), url).toThrow(/^url: (?!.*DATABASE_URL)/);
    expect(() => parseDatabaseUrl(url), url).not.toThrow(/hunter2/);
  }
});
