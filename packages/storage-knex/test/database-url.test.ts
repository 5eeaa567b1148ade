import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { createKnexStorage } from "../src/create-knex-storage.ts";
import { parseDatabaseUrl } from "../src/database-url.ts";

test("takes the path of a SQLite file, relative or absolute", () => {
  expect(parseDatabaseUrl("sqlite:./data/postern.db")).toEqual({ kind: "sqlite", file: resolve("data/postern.db") });
  expect(parseDatabaseUrl("sqlite:///var/lib/postern.db")).toEqual({ kind: "sqlite", file: "/var/lib/postern.db" });
});

test("takes the driver of a SQLite file", () => {
  const file = resolve("postern.db");
  for (const driver of ["node:sqlite", "better-sqlite3", "sqlite3"]) {
    expect(parseDatabaseUrl(`sqlite:postern.db?driver=${driver}`)).toEqual({ kind: "sqlite", file, driver });
  }
  expect(parseDatabaseUrl("sqlite:postern.db?driver=node%3Asqlite")).toMatchObject({ driver: "node:sqlite" });
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
    tls: {},
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
    ["sqlite:./a.db?mode=ro", /unknown parameter "mode"/],
    ["sqlite:./a.db?driver=sqlite", /driver is one of node:sqlite, better-sqlite3, sqlite3/],
    ["sqlite:./a.db#b", /no '\?' or '#'/],
    ["sqlite:?driver=sqlite3", /path .* is missing/],
    ["mysql://user:hunter2@host", /database name/],
    ["mysql://user:hunter2@host/a;b", /database name/],
    ["mysql://user:hunter2@host/db?multipleStatements=true", /unknown parameter "multipleStatements"/],
    ["mysql://user:hunter2@host:port/db", /not a URL/],
    ["mysql://user:hunter2@host/db?ssl=yes", /ssl is true or false/],
    ["mysql://user:hunter2@host/db?ssl-ca=/no/ca.pem", /ssl-ca: the file \/no\/ca\.pem cannot be read/],
    [`mysql://user:hunter2@host/db?ssl-ca=${import.meta.filename}`, /ssl-ca: the file .* has no certificate in PEM/],
    ["mysql://user:hunter2@host/db?ssl-cert=/no/c.pem", /ssl-cert and ssl-key go together/],
  ];
  for (const [url, message] of refused) {
    expect(() => parseDatabaseUrl(url), url).toThrow(TypeError);
    expect(() => parseDatabaseUrl(url), url).toThrow(message);
    expect(() => createKnexStorage({ url }), url).toThrow(/^url: (?!.*DATABASE_URL)/);
    expect(() => parseDatabaseUrl(url), url).not.toThrow(/hunter2/);
  }
});

test("reads the certificates of an authority, of a client, and its key", () => {
  const folder = mkdtempSync(join(tmpdir(), "postern-pem-"));
  const write = (name: string, ...labels: readonly string[]) => {
    const text = labels.map((label) => `About it\n-----BEGIN ${label}-----\nAA==\n-----END ${label}-----\n`).join("");
    writeFileSync(join(folder, name), text);
    return text;
  };
  try {
    const ca = write("ca", "CERTIFICATE", "TRUSTED CERTIFICATE");
    const cert = write("cert", "X509 CERTIFICATE");
    for (const label of ["PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY", "ENCRYPTED PRIVATE KEY"]) {
      const key = write("key", label);
      const url = (keyFile: string) =>
        `mysql://host/db?ssl-ca=${folder}/ca&ssl-cert=${folder}/cert&ssl-key=${folder}/${keyFile}`;
      expect(parseDatabaseUrl(url("key"))).toMatchObject({ tls: { ca, cert, key } });
      expect(() => parseDatabaseUrl(url("cert"))).toThrow(/ssl-key: the file .* has no private key in PEM/);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});
