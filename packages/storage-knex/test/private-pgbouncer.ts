import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { vi } from "vitest";
import { freePort } from "../../../test/free-port.ts";

/** Whether pgbouncer is installed here. CI requires it. */
export const startsPgbouncer =
  spawnSync("pgbouncer", ["--version"]).status === 0 || process.env.POSTERN_REQUIRE_DATABASES === "1";

export interface PrivatePgbouncer {
  /** The same database through the pooler. */
  through(url: string): string;
  end(): Promise<void>;
}

/** A pgbouncer in transaction mode in front of the server of `url`, which knows no passwords. */
export const privatePgbouncer = async (url: string, settings: readonly string[] = []): Promise<PrivatePgbouncer> => {
  const { hostname, port: serverPort, username, password } = new URL(url);
  const port = await freePort();
  const directory = mkdtempSync(join(tmpdir(), "postern-pgbouncer-"));
  const file = join(directory, "pgbouncer.ini");
  const users = join(directory, "users.txt");
  chmodSync(directory, 0o755);
  writeFileSync(users, `"${username}" "${decodeURIComponent(password)}"\n`, { mode: 0o644 });
  writeFileSync(
    file,
    [
      "[databases]",
      `* = host=${hostname} port=${serverPort || 5432}`,
      "[pgbouncer]",
      "listen_addr = 127.0.0.1",
      `listen_port = ${port}`,
      "unix_socket_dir =",
      "auth_type = trust",
      `auth_file = ${users}`,
      "pool_mode = transaction",
      // A database that is dropped has no connection left soon.
      "server_idle_timeout = 1",
      ...settings,
    ].join("\n"),
    { mode: 0o644 },
  );
  // It does not run as root.
  const user = process.getuid?.() === 0 ? ["-u", "postgres"] : [];
  const child: ChildProcess = spawn("pgbouncer", ["-q", ...user, file], { stdio: "ignore" });
  const through = (given: string): string => {
    const pooled = new URL(given);
    pooled.hostname = "127.0.0.1";
    pooled.port = String(port);
    return pooled.href;
  };
  await vi.waitFor(
    async () => {
      const client = new pg.Client({ connectionString: through(url) });
      client.on("error", () => undefined);
      await client.connect();
      await client.end();
    },
    { timeout: 20_000, interval: 50 },
  );
  return {
    through,
    end: async () => {
      if (child.exitCode === null && child.signalCode === null) {
        const ended = once(child, "exit");
        child.kill("SIGKILL");
        await ended;
      }
      rmSync(directory, { recursive: true, force: true });
    },
  };
};
