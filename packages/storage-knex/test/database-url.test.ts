import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { parseDatabaseUrl } from "../src/engine/database-url.ts";
import { createKnexStorage } from "../src/storage/create-knex-storage.ts";

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
    hosts: [{ host: "db.example", port: 3307 }],
    user: "u@x",
    password: "p:w",
    database: "postern",
    socketPath: undefined,
    tls: {},
  });
  expect(parseDatabaseUrl("mysql://one,two:3307,[::1]/postern")).toMatchObject({
    hosts: [
      { host: "one", port: 3306 },
      { host: "two", port: 3307 },
      { host: "::1", port: 3306 },
    ],
    user: "root",
    password: "",
  });
});

test("takes the parts of a PostgreSQL URL, with one host or several", () => {
  const one = parseDatabaseUrl("postgresql://u%40x:p%3A%40w@db.example/postern?schema=shop");
  expect(one).toEqual({
    kind: "postgres",
    hosts: [{ host: "db.example", port: 5432 }],
    user: "u@x",
    password: "p:@w",
    database: "postern",
    schema: "shop",
    pooled: false,
    tls: undefined,
  });
  expect(parseDatabaseUrl("postgres:///postern")).toMatchObject({
    hosts: [{ host: "127.0.0.1", port: 5432 }],
    user: "postgres",
    password: "",
  });
  expect(parseDatabaseUrl("postgres://u@one,two:5433,[::1]:5434/postern")).toMatchObject({
    hosts: [
      { host: "one", port: 5432 },
      { host: "two", port: 5433 },
      { host: "::1", port: 5434 },
    ],
  });
});

test("reads each sslmode as PostgreSQL's own clients do", () => {
  const folder = mkdtempSync(join(tmpdir(), "postern-url-"));
  const ca = join(folder, "ca.pem");
  // In two parts, because another test reads this file as one without a certificate.
  writeFileSync(ca, `${["-----BEGIN", "CERTIFICATE-----"].join(" ")}\n`);
  const tlsOf = (search: string) => {
    const address = parseDatabaseUrl(`postgres://u@h/db${search}`);
    return address.kind === "postgres" ? address.tls : undefined;
  };
  const unnamed = { checkServerIdentity: expect.any(Function) };
  expect(tlsOf("?sslmode=disable")).toBeUndefined();
  expect(tlsOf("?sslmode=require")).toEqual({ rejectUnauthorized: false });
  expect(tlsOf(`?sslmode=require&sslrootcert=${ca}`)).toMatchObject({ rejectUnauthorized: true, ...unnamed });
  expect(tlsOf("?sslmode=verify-ca")).toEqual({ rejectUnauthorized: true, ...unnamed });
  expect(tlsOf("?sslmode=verify-full")).toEqual({ rejectUnauthorized: true });
  expect(tlsOf(`?sslrootcert=${ca}`)).toEqual({ rejectUnauthorized: true, ca: expect.any(String) });
  rmSync(folder, { recursive: true });
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
    ["oracle://user:hunter2@host/db", /unknown scheme "oracle".*sqlite:.*postgres:.*mysql:.*mariadb:/],
    ["postgres://user:hunter2@host", /database name/],
    ["postgres://user:hunter2@host/a;b", /database name/],
    ["postgres://user:hunter2@host:99999/db", /host:port/],
    ["postgres://user:hunter2@[::1/db", /host:port/],
    ["postgres://user:hunter2%zz@host/db", /a % is not followed/],
    ["postgres://user:hunter2@host/db?sslmode=yes", /sslmode: it is one of disable, require, verify-ca, verify-full/],
    ["postgres://user:hunter2@host/db?sslcert=/c.pem", /sslcert and sslkey go together/],
    ["postgres://user:hunter2@host/db?sslmode=disable&sslrootcert=/c.pem", /sslrootcert need TLS/],
    ["postgres://user:hunter2@host/db?sslrootcert=/no/ca.pem", /sslrootcert: the file \/no\/ca\.pem cannot be read/],
    ["postgres://user:hunter2@host/db?schema=a;b", /schema is a name/],
    ["postgres://user:hunter2@host/db?pooler=session", /pooler is transaction; leave it out/],
    ["postgres://user:hunter2@host/db?pooler=transaction&schema=shop", /ALTER ROLE … SET search_path = shop/],
    ["postgres://user:hunter2@host/db?options=-c", /options: leave it out; .* schema=name/],
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
    ["mysql://user:hunter2@host:port/db", /host:port/],
    ["mysql://user:hunter2@one,/db?", /host:port/],
    ["mysql://user:hunter2@one,two/db?socket=/run/mysqld.sock", /leads to one server/],
    ["mysql://user:hunter2@host/db?ssl=yes", /ssl: it is true or false/],
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
