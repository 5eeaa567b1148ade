import { randomInt } from "node:crypto";
import { vi } from "vitest";
import { type PrivateServer, privateServer } from "./private-server.ts";

/** A MariaDB that is the primary of another one, or its semi-synchronous replica. */
export interface ReplicatedServer extends PrivateServer {
  /** Takes writes from now on. A replica first applies what it has received. */
  lead(): Promise<void>;
  /** Starts if it does not run, and becomes the replica of `primary`. From then on each commit there waits for it. */
  follow(primary: ReplicatedServer): Promise<void>;
}

/** The user whose databases are `postern` and nothing else: an administrator may write on a replica. */
export const urlOf = (...servers: readonly { readonly port: number }[]): string =>
  `mysql://postern@${servers.map(({ port }) => `127.0.0.1:${port}`).join(",")}/postern`;

/**
 * A commit is in the binary log of the replica before it is visible. The primary waits for an hour
 * rather than go on alone. After a kill, a server forgets the commits that no replica has
 * (`init-rpl-role`): nobody was told of them.
 */
const options = [
  "--log-bin",
  "--log-slave-updates",
  "--sync-binlog=1",
  "--gtid-strict-mode=1",
  "--read-only=1",
  "--skip-slave-start",
  "--max-connections=200",
  "--init-rpl-role=SLAVE",
  "--rpl-semi-sync-slave-enabled=1",
  "--rpl-semi-sync-master-wait-point=AFTER_SYNC",
  "--rpl-semi-sync-master-timeout=3600000",
];

/** It is not started yet. `directory` is an empty folder. */
export const replicatedServer = async (directory: string): Promise<ReplicatedServer> => {
  const server = await privateServer(directory, [...options, `--server-id=${randomInt(1, 2 ** 31)}`]);
  const lead = async (): Promise<void> => {
    const [status] = await server.command("STOP SLAVE IO_THREAD", "SHOW SLAVE STATUS");
    if (status !== undefined) {
      const [row] = await server.command(`SELECT MASTER_GTID_WAIT('${status.Gtid_IO_Pos}', 60) AS late`);
      if (row?.late !== 0) throw new Error(`the replica has not applied all that it has: ${JSON.stringify(status)}`);
    }
    await server.command("STOP SLAVE", "RESET SLAVE ALL", "SET GLOBAL read_only = 0");
  };
  const follow = async (primary: ReplicatedServer): Promise<void> => {
    if (!server.isRunning()) await server.start();
    await primary.command(
      "CREATE USER IF NOT EXISTS replica@127.0.0.1",
      "GRANT REPLICATION SLAVE ON *.* TO replica@127.0.0.1",
      "SET GLOBAL rpl_semi_sync_master_enabled = 1",
    );
    await server.command(
      "SET GLOBAL read_only = 1",
      "SET GLOBAL rpl_semi_sync_master_enabled = 0",
      "SET GLOBAL gtid_slave_pos = @@GLOBAL.gtid_binlog_pos",
      `CHANGE MASTER TO MASTER_HOST = '127.0.0.1', MASTER_PORT = ${primary.port}, MASTER_USER = 'replica',
         MASTER_USE_GTID = slave_pos`,
      "START SLAVE",
    );
    const caughtUp = async (): Promise<void> => {
      const [status] = await server.command("SHOW SLAVE STATUS");
      const [clients] = await primary.command("SHOW STATUS LIKE 'Rpl_semi_sync_master_clients'");
      if (status?.Slave_SQL_Running !== "Yes" || status.Slave_IO_Running !== "Yes" || clients?.Value !== "1") {
        throw new Error(`the replica does not follow: ${status?.Last_IO_Error} ${status?.Last_SQL_Error}`);
      }
    };
    await vi.waitFor(caughtUp, { timeout: 60_000, interval: 50 });
  };
  return { ...server, lead, follow };
};
