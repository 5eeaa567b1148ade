import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { selfSigned } from "../../http/src/testing/certificate.ts";
import { openStorage } from "./databases.ts";
import { type PrivatePostgres, privatePostgres, startsPostgres } from "./private-postgres.ts";

describe.skipIf(!startsPostgres)("a connection to PostgreSQL over TLS", () => {
  const directory = mkdtempSync(join(tmpdir(), "postern-postgres-tls-"));
  const authority = join(directory, "cert.pem");
  let server: PrivatePostgres | undefined;

  beforeAll(async () => {
    const { cert, key } = selfSigned("a server with a certificate for 127.0.0.1");
    writeFileSync(authority, cert);
    writeFileSync(join(directory, "key.pem"), key, { mode: 0o600 });
    const hba = join(directory, "hba.conf");
    writeFileSync(
      hba,
      [
        "local all all trust",
        "host all bound 127.0.0.1/32 scram-sha-256",
        "host all plain 127.0.0.1/32 password",
        "host all all 127.0.0.1/32 trust",
        "host all all ::1/128 trust",
      ].join("\n"),
    );
    const tls = [
      `hba_file=${hba}`,
      "ssl=on",
      `ssl_cert_file=${authority}`,
      `ssl_key_file=${join(directory, "key.pem")}`,
    ];
    server = await privatePostgres(
      directory,
      tls.flatMap((setting) => ["-c", setting]),
    );
    await server.start();
    await server.command("CREATE ROLE bound LOGIN PASSWORD 'b'", "CREATE ROLE plain LOGIN PASSWORD 'p'");
  });
  afterAll(async () => {
    await server?.end("SIGKILL");
    rmSync(directory, { recursive: true, force: true });
  });

  /** Whether the connection is encrypted, or why there is none. */
  const outcomeOf = async (parameters: string, host = "127.0.0.1"): Promise<string> => {
    const { inspect } = openStorage({ url: `postgres://${host}:${server?.port}/postgres${parameters}` });
    try {
      await inspect();
      const rows = await server?.command(
        "SELECT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = 'postern' ORDER BY backend_start DESC LIMIT 1",
      );
      return rows?.[0]?.ssl === true ? "encrypted" : "plain";
    } catch (thrown) {
      return String((thrown as Error).cause);
    }
  };

  test("is what its mode says", async () => {
    expect(await outcomeOf("")).toBe("plain");
    expect(await outcomeOf("?sslmode=disable")).toBe("plain");
    expect(await outcomeOf("?sslmode=require")).toBe("encrypted");
    expect(await outcomeOf(`?sslmode=require&sslrootcert=${authority}`)).toBe("encrypted");
    expect(await outcomeOf(`?sslmode=verify-ca&sslrootcert=${authority}`)).toBe("encrypted");
    expect(await outcomeOf(`?sslmode=verify-ca&sslrootcert=${authority}`, "localhost")).toBe("encrypted");
    expect(await outcomeOf(`?sslmode=verify-full&sslrootcert=${authority}`)).toBe("encrypted");
    expect(await outcomeOf(`?sslrootcert=${authority}`)).toBe("encrypted");
  });

  test("is refused if nobody vouches for the server, or for its name, with what to do", async () => {
    for (const mode of ["verify-ca", "verify-full"]) {
      expect(await outcomeOf(`?sslmode=${mode}`)).toMatch(/self-signed certificate.*put sslrootcert=\/path/);
    }
    const unnamed = await outcomeOf(`?sslmode=verify-full&sslrootcert=${authority}`, "localhost");
    expect(unnamed).toMatch(/ERR_TLS_CERT_ALTNAME_INVALID.*sslmode=verify-ca/);
  });

  test("with channel_binding=require sends a password only if the server binds its proof to the connection", async () => {
    const bound = "?sslmode=require&channel_binding=require";
    expect(await outcomeOf(bound, "bound:b@127.0.0.1")).toBe("encrypted");
    expect(await outcomeOf("?sslmode=require", "plain:p@127.0.0.1")).toBe("encrypted");
    for (const host of ["plain:p@127.0.0.1", "127.0.0.1"]) {
      expect(await outcomeOf(bound, host)).toContain("the URL has channel_binding=require, and the server offers none");
    }
  });

  test("is the socket that the URL names, without TLS", async () => {
    expect(await outcomeOf(`?host=${directory}&sslmode=verify-full`, "localhost")).toBe("plain");
    expect(await outcomeOf("", encodeURIComponent(directory))).toBe("plain");
  });
});
