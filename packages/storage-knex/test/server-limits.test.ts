import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { user } from "@postern/app";
import { newEvent, rejectsWith, userRow } from "@postern/core/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { compareLimits } from "../src/mysql/low-limits.ts";
import { openStorage } from "./databases.ts";
import { type PrivateServer, privateServer, startsMariadb } from "./private-server.ts";

const mebibyte = 1024 * 1024;

test("names every limit of a server that is too low, and what to set", () => {
  const needs = { longestBytes: 5 * mebibyte, connections: 10, hosts: 1 };
  const enough = {
    max_allowed_packet: "16777216",
    innodb_log_file_size: "100663296",
    max_connections: "151",
    max_user_connections: "0",
    wait_timeout: "28800",
    innodb_page_size: "16384",
    innodb_default_row_format: "dynamic",
  };
  expect(compareLimits(enough, needs)).toEqual([]);
  expect(compareLimits({}, needs)).toEqual([]);
  const low = {
    max_allowed_packet: "4194304",
    innodb_log_file_size: "5242880",
    innodb_log_files_in_group: "2",
    max_connections: "10",
    max_user_connections: "5",
    wait_timeout: "10",
    innodb_page_size: "4096",
    innodb_default_row_format: "compact",
  };
  expect(compareLimits(low, needs).map(({ text }) => text)).toEqual([
    "max_allowed_packet is 4194304: a webhook may have 5242880 bytes, and a longer one than the database takes is answered 413. Set it to 6M or more on the server, or lower POSTERN_WEBHOOK_BODY_LIMIT",
    "innodb_log_file_size is 10485760: InnoDB takes a tenth of it in one transaction. Set it to 60M or more",
    "max_connections is 10: each process of Postern takes up to 13 connections. Raise it",
    "max_user_connections is 5: each process of Postern takes up to 13 connections. Raise it",
    "wait_timeout is 10: the server cuts connections that rest for so many seconds, and each of them is made anew. Set it to 60 or more",
    "innodb_page_size is 4096: rows and keys may be longer than it allows. A server keeps the value that it was set up with: set one up with 16384",
    "innodb_default_row_format is compact: keys may be longer than it allows. Set it to dynamic",
  ]);
  expect(compareLimits({ innodb_redo_log_capacity: "8388608" }, needs)[0]?.name).toBe("innodb_redo_log_capacity");
});

test("warns of replication that may lose commits, where the URL names several hosts", () => {
  const warned = (found: Parameters<typeof compareLimits>[0], hosts = 2): readonly string[] =>
    compareLimits(found, { longestBytes: 1, connections: 1, hosts }).map(
      ({ name, found: value }) => `${name}=${value}`,
    );
  const off = { rpl_semi_sync_master_enabled: "OFF", rpl_semi_sync_master_timeout: "10000", wsrep_on: "OFF" };
  expect(warned(off)).toEqual(["rpl_semi_sync_master_enabled=OFF"]);
  expect(warned(off, 1)).toEqual([]);
  expect(warned({ ...off, wsrep_on: "ON" })).toEqual([]);
  expect(warned({ ...off, group_replication_group_name: "a-group" })).toEqual([]);
  // MySQL without the plugin.
  expect(warned({ group_replication_group_name: "" })).toEqual(["rpl_semi_sync_master_enabled=OFF"]);
  const on = { ...off, rpl_semi_sync_master_enabled: "ON" };
  expect(warned(on)).toEqual(["rpl_semi_sync_master_timeout=10000"]);
  expect(warned({ ...on, rpl_semi_sync_master_timeout: "3600000" })).toEqual([]);
  expect(warned({ rpl_semi_sync_source_enabled: "ON", rpl_semi_sync_source_timeout: "10000" })).toEqual([
    "rpl_semi_sync_source_timeout=10000",
  ]);
});

const opensslIn =
  (directory: string) =>
  (...args: readonly string[]): void =>
    void execFileSync("openssl", args, { cwd: directory, stdio: "pipe" });
const signed = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2"];

/** An authority, a certificate of the server, and one of a client, in a folder. */
const makeCertificates = (directory: string): readonly string[] => {
  const openssl = opensslIn(directory);
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  openssl(
    "req",
    "-x509",
    ...key,
    "-keyout",
    "ca.key",
    "-out",
    "ca.pem",
    "-days",
    "2",
    "-subj",
    "/CN=Private authority",
  );
  for (const name of ["server", "client"]) {
    openssl("req", ...key, "-keyout", `${name}.key`, "-out", `${name}.csr`, "-subj", `/CN=${name}.example`);
    openssl("x509", "-req", "-in", `${name}.csr`, ...signed, "-out", `${name}.pem`);
  }
  const option = (name: string, file: string) => `--${name}=${join(directory, file)}`;
  return [option("ssl-ca", "ca.pem"), option("ssl-cert", "server.pem"), option("ssl-key", "server.key")];
};

describe.skipIf(!startsMariadb)("a MariaDB with low limits that takes only TLS", { timeout: 120_000 }, () => {
  let directory = "";
  let server: PrivateServer;
  const urlFor = (name: string, parameters: string): string =>
    `mysql://${name}@127.0.0.1:${server.port}/postern?${parameters.replaceAll("$", `${directory}/`)}`;

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), "postern-mariadb-"));
    const limits = ["--require-secure-transport=1", "--max-allowed-packet=1048576"];
    server = await privateServer(directory, [...makeCertificates(directory), ...limits]);
    await server.start();
    for (const [name, needs] of [
      ["postern", "SSL"],
      ["certified", "X509"],
    ]) {
      await server.command(`CREATE USER ${name}@127.0.0.1 REQUIRE ${needs}`);
      await server.command(`GRANT ALL ON postern.* TO ${name}@127.0.0.1`);
    }
  }, 120_000);
  afterAll(async () => {
    await server?.end("SIGKILL");
    rmSync(directory, { recursive: true, force: true });
  });

  test("stores over TLS with the file of its authority, and with a client's certificate", async () => {
    const opened = openStorage({ url: urlFor("postern", "ssl-ca=$ca.pem") });
    await opened.migrate.latest();
    await opened.storage.resources.insert(user, userRow(1));
    const certified = openStorage({
      url: urlFor("certified", "ssl-ca=$ca.pem&ssl-cert=$client.pem&ssl-key=$client.key"),
    });
    await certified.storage.check();
  });

  test("says what to do where TLS or the authority is missing", async () => {
    const reasonWith = async (name: string, parameters: string): Promise<string> => {
      const { storage } = openStorage({ url: urlFor(name, parameters) });
      const { cause } = await rejectsWith("unavailable", () => storage.resources.insert(user, userRow(9)));
      return String(cause);
    };
    expect(await reasonWith("postern", "ssl=true")).toMatch(/HANDSHAKE_SSL_ERROR: self-signed .*&ssl-ca=\/path/);
    expect(await reasonWith("postern", "")).toMatch(/only TLS: put \?ssl=true/);
    expect(await reasonWith("certified", "ssl-ca=$ca.pem")).toMatch(/&ssl-cert=\/path&ssl-key=\/path/);
  });

  test("refuses a certificate of its authority that is for another name", async () => {
    const named = () => openStorage({ url: urlFor("postern", "ssl-ca=$ca.pem").replace("127.0.0.1", "localhost") });
    const refused = async (): Promise<string> =>
      String((await rejectsWith("unavailable", () => named().migrate.latest())).cause);
    expect(await refused()).toMatch(/HANDSHAKE_SSL_ERROR: Hostname\/IP does not match .* \(the host in the URL/);
    writeFileSync(join(directory, "names"), "subjectAltName=DNS:localhost\n");
    const names = ["-extfile", "names", "-out", "server.pem"];
    opensslIn(directory)("x509", "-req", "-in", "server.csr", ...signed, ...names);
    await server.command("FLUSH SSL");
    const opened = named();
    await opened.migrate.latest();
    await opened.storage.check();
  });

  test("answers 413 to what is longer than it takes, and stores the neighbours", async () => {
    const opened = openStorage({ url: urlFor("postern", "ssl-ca=$ca.pem") });
    await opened.migrate.latest();
    const { storage } = opened;
    const event = (id: string, bytes: number) => newEvent(id, { body: Buffer.alloc(bytes, 0x61), jobs: [] });
    await rejectsWith("content_too_large", () => storage.events.accept([event("evt_long", 1.1 * mebibyte)]));
    // No connection was lost: the next ones are stored at once.
    for (const [id, bytes] of [
      ["evt_fits", 0.9 * mebibyte],
      ["evt_small", 100],
    ] as const) {
      expect((await storage.events.accept([event(id, bytes)]))[0]?.outcome).toBe("accepted");
    }
    const low = await opened.lowLimits({ longestBytes: 5 * mebibyte });
    expect(low.map(({ name }) => name)).toContain("max_allowed_packet");
  });
});
