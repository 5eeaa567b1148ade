import { privatePostgres, startsPostgres } from "../../../packages/storage-knex/test/private-postgres.ts";
import { privateServer, startsMariadb } from "../../../packages/storage-knex/test/private-server.ts";
import type { Scene } from "./server-under-fault.ts";

export interface PrivateDatabase {
  /** The URL for a user who may do everything with its own database and nothing with the server. */
  readonly url: string;
  /** Runs statements as its administrator. */
  command(...statements: readonly string[]): Promise<unknown>;
  /** Starts it. Resolves when it answers. */
  start(): Promise<void>;
  signal(signal: NodeJS.Signals): void;
  /** Ends it with this signal. Resolves when it is gone. */
  end(signal: NodeJS.Signals): Promise<void>;
}

/** A database server of which a test can have one for itself. */
interface Kind {
  readonly name: "MariaDB" | "PostgreSQL";
  readonly starts: boolean;
  /** It is not started yet, and ends with the test. */
  make(scene: Scene): Promise<PrivateDatabase>;
  /** Makes it refuse writes, as a former primary does, or take them again. */
  readOnly(isReadOnly: boolean): readonly string[];
}

const mariadb = async (scene: Scene): Promise<PrivateDatabase> => {
  const server = await privateServer(scene.temporaryDirectory());
  scene.afterwards(() => server.end("SIGKILL"));
  return {
    ...server,
    url: `mysql://postern@127.0.0.1:${server.port}/postern`,
    start: async () => {
      await server.start();
      await server.command(
        "CREATE DATABASE IF NOT EXISTS postern",
        "CREATE USER IF NOT EXISTS postern@127.0.0.1",
        "GRANT ALL ON postern.* TO postern@127.0.0.1",
      );
    },
  };
};

const postgres = async (scene: Scene): Promise<PrivateDatabase> => {
  const server = await privatePostgres(scene.temporaryDirectory(), ["-c", "max_connections=200"]);
  scene.afterwards(() => server.end("SIGKILL"));
  return {
    ...server,
    url: `postgres://postern@127.0.0.1:${server.port}/postern`,
    start: async () => {
      await server.start();
      const known = await server.command("SELECT 1 FROM pg_database WHERE datname = 'postern'");
      if (known.length === 0)
        await server.command("CREATE ROLE postern LOGIN", "CREATE DATABASE postern OWNER postern");
    },
  };
};

/** The servers that are installed here. */
export const kinds: readonly Kind[] = [
  {
    name: "MariaDB" as const,
    starts: startsMariadb,
    make: mariadb,
    readOnly: (is: boolean) => [`SET GLOBAL read_only = ${is ? 1 : 0}`],
  },
  {
    name: "PostgreSQL" as const,
    starts: startsPostgres,
    make: postgres,
    readOnly: (is: boolean) => [
      `ALTER SYSTEM SET default_transaction_read_only = ${is ? "on" : "off"}`,
      "SELECT pg_reload_conf()",
    ],
  },
].filter(({ starts }) => starts);

/** Makes numbers from 0 to 1. They are the same for the same seed (mulberry32). */
export const random = (seed: number) => (): number => {
  seed = (seed + 0x6d2b79f5) | 0;
  let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
};
