import {
  type PrivatePostgres,
  privatePostgres,
  startsPostgres,
} from "../../../packages/storage-knex/test/private-postgres.ts";
import {
  urlOf as mysqlUrlOf,
  type ReplicatedServer,
  replicatedServer,
} from "../../../packages/storage-knex/test/private-replicas.ts";
import { startsMariadb } from "../../../packages/storage-knex/test/private-server.ts";
import { eventually, type Scene, type Server } from "./server-under-fault.ts";

/** A server that is the primary of another one, or its synchronous standby. */
interface Replica {
  readonly port: number;
  /** Kills it. Resolves when it is gone. */
  kill(): Promise<void>;
  /** Makes a standby the primary. Resolves when it takes writes. */
  promote(): Promise<void>;
}

interface Pair {
  readonly primary: Replica;
  readonly standby: Replica;
  /** Makes a server that was killed the synchronous standby of the other one. Resolves when it is that. */
  rejoin(standby: Replica, primary: Replica): Promise<void>;
  /** Has the primary go on alone: the standby has all until now, and misses everything from here on. */
  loseTail(standby: Replica, primary: Replica): Promise<void>;
}

interface ReplicatedKind {
  readonly name: string;
  readonly fault: string;
  readonly starts: boolean;
  /** Whether a primary whose last commits were lost can become the standby of the other one. */
  readonly forgetsTail: boolean;
  /** A primary with a synchronous standby. Both end with the test. */
  make(scene: Scene): Promise<Pair>;
  urlOf(...servers: readonly Replica[]): string;
}

/** Servers of these roles on one database. The first one is started, and makes the tables. */
export const serversOn = async (scene: Scene, url: string, roles: readonly string[]): Promise<readonly Server[]> => {
  const directory = scene.temporaryDirectory();
  const secret = Buffer.alloc(32, 7).toString("base64");
  const all: Server[] = [];
  for (const role of roles) {
    const environment = { POSTERN_SECRET_KEY: secret, DATABASE_URL: url, POSTERN_ROLE: role };
    all.push(await scene.server(directory, environment));
  }
  await all[0]?.start();
  return all;
};

/** The servers behind two replicas. */
const bothOf = <Server>(servers: ReadonlyMap<Replica, Server>, standby: Replica, primary: Replica) => {
  const [one, other] = [servers.get(standby), servers.get(primary)];
  if (one === undefined || other === undefined) throw new Error("they are of another pair");
  return [one, other] as const;
};

const postgres: ReplicatedKind = {
  name: "PostgreSQL",
  fault: "PostgreSQL: the primary is killed, its synchronous standby is promoted",
  starts: startsPostgres,
  forgetsTail: true,
  urlOf: (...servers) => `postgres://postgres@${servers.map(({ port }) => `127.0.0.1:${port}`).join(",")}/postern`,
  make: async (scene) => {
    const servers = new Map<Replica, PrivatePostgres>();
    const made = async (): Promise<Replica> => {
      const server = await privatePostgres(scene.temporaryDirectory(), ["-c", "max_connections=200"]);
      scene.afterwards(() => server.end("SIGKILL"));
      const replica: Replica = {
        port: server.port,
        kill: () => server.end("SIGKILL"),
        promote: async () => void (await server.command("SELECT pg_promote()")),
      };
      servers.set(replica, server);
      return replica;
    };
    const rejoin: Pair["rejoin"] = async (standby, primary) => {
      const [one, other] = bothOf(servers, standby, primary);
      await one.follow(other);
      await other.command("ALTER SYSTEM SET synchronous_standby_names = '*'", "SELECT pg_reload_conf()");
      await eventually("the standby is synchronous", async () => {
        const rows = await other.command("SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'");
        return rows.length > 0;
      });
    };
    const loseTail: Pair["loseTail"] = async (standby, primary) => {
      const [, other] = bothOf(servers, standby, primary);
      await other.command("ALTER SYSTEM SET synchronous_standby_names = ''", "SELECT pg_reload_conf()");
      const whole =
        "SELECT pid FROM pg_stat_replication WHERE sync_state = 'async' AND replay_lsn >= pg_current_wal_lsn()";
      await eventually("the standby is asynchronous and has everything", async () => {
        const rows = await other.command(whole);
        return rows.length > 0;
      });
      const [sender] = await other.command("SELECT pid FROM pg_stat_replication");
      process.kill(Number(Object(sender).pid), "SIGSTOP");
    };
    const [primary, standby] = await Promise.all([made(), made()]);
    await servers.get(primary)?.start();
    await rejoin(standby, primary);
    return { primary, standby, rejoin, loseTail };
  },
};

const mariadb: ReplicatedKind = {
  name: "MariaDB",
  fault: "MariaDB: the primary is killed, its semi-synchronous replica is promoted",
  starts: startsMariadb,
  // Its own commits stay in its binary log, and the other one has others under their numbers.
  forgetsTail: false,
  urlOf: mysqlUrlOf,
  make: async (scene) => {
    const servers = new Map<Replica, ReplicatedServer>();
    const made = async (): Promise<Replica> => {
      const server = await replicatedServer(scene.temporaryDirectory());
      scene.afterwards(() => server.end("SIGKILL"));
      const replica: Replica = { port: server.port, kill: () => server.end("SIGKILL"), promote: server.lead };
      servers.set(replica, server);
      return replica;
    };
    const rejoin: Pair["rejoin"] = async (standby, primary) => {
      const [one, other] = bothOf(servers, standby, primary);
      await one.follow(other);
    };
    const loseTail: Pair["loseTail"] = async (standby, primary) => {
      const [one, other] = bothOf(servers, standby, primary);
      await other.command("SET GLOBAL rpl_semi_sync_master_enabled = 0");
      const [row] = await other.command("SELECT @@GLOBAL.gtid_binlog_pos AS written");
      const [waited] = await one.command(`SELECT MASTER_GTID_WAIT('${row?.written}', 60) AS late`);
      if (waited?.late !== 0) throw new Error(`the replica has not applied ${row?.written}`);
      await one.command("STOP SLAVE IO_THREAD");
    };
    const [primary, standby] = await Promise.all([made(), made()]);
    const first = servers.get(primary);
    await first?.start();
    await first?.lead();
    await first?.command("CREATE USER postern@127.0.0.1", "GRANT ALL ON postern.* TO postern@127.0.0.1");
    await rejoin(standby, primary);
    return { primary, standby, rejoin, loseTail };
  },
};

/** The kinds that are installed here. */
export const replicatedKinds: readonly ReplicatedKind[] = [postgres, mariadb].filter(({ starts }) => starts);
