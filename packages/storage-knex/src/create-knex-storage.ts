import {
  builtInResources,
  type Liveness,
  type RateLimitStore,
  type Resource,
  type Storage,
  type Stores,
} from "@postern/core";
import type { ClosableLiveness } from "./closable-liveness.ts";
import type { Resources } from "./condition-to-sql.ts";
import type { Database } from "./database.ts";
import { parseDatabaseUrl } from "./database-url.ts";
import { checkSchema, type Migrate, migrateWith } from "./migrate.ts";
import { openMysql } from "./mysql/mysql-database.ts";
import { mysqlLiveness } from "./mysql/mysql-liveness.ts";
import { mysqlMigrations } from "./mysql/mysql-migrations.ts";
import { requestPool } from "./mysql/pool.ts";
import type { OpenDatabase } from "./open-database.ts";
import { openSqlite } from "./sqlite/sqlite-database.ts";
import { sqliteLiveness } from "./sqlite/sqlite-liveness.ts";
import { sqliteMigrations } from "./sqlite/sqlite-migrations.ts";
import { knexEventStore } from "./stores/knex-event-store.ts";
import { knexJobStore } from "./stores/knex-job-store.ts";
import { knexRateLimitStore } from "./stores/knex-rate-limit-store.ts";
import { knexResourceRepository } from "./stores/knex-resource-repository.ts";

export interface KnexStorageOptions {
  /** `sqlite:./data/postern.db`, `mysql://user:password@host:3306/name` or `mariadb://…`. */
  readonly url: string;
  /** Every resource that is stored; the built-in ones unless told. Their tables must exist. */
  readonly resources?: readonly Resource[];
  /**
   * `full` (default): what was committed survives a power cut; on MySQL/MariaDB the server's settings are checked for it. `relaxed`: a power
   * cut may take the last second; a crash of the process takes nothing.
   */
  readonly durability?: "full" | "relaxed";
  /** MySQL/MariaDB: the most connections at once, 10 unless told. SQLite: connections that read, 3 unless told; one more writes. */
  readonly connections?: number;
}

export interface KnexStorage {
  /** Nothing in it works before `migrate.latest()` has run once on the database. */
  readonly storage: Storage;
  readonly rateLimits: RateLimitStore;
  readonly liveness: Liveness;
  readonly migrate: Migrate;
  /** Waits for writes under way, ends this process's runner locks and closes every connection. Calling it twice does nothing. */
  close(): Promise<void>;
}

interface Opened {
  readonly database: OpenDatabase;
  readonly liveness: ClosableLiveness;
  readonly migrate: Migrate;
}

const open = ({ url, durability = "full", connections }: KnexStorageOptions): Opened => {
  if (connections !== undefined && !(Number.isInteger(connections) && connections >= 1 && connections <= 1000)) {
    throw new TypeError(`connections is a whole number from 1 to 1,000, not ${connections}`);
  }
  const address = parseDatabaseUrl(url);
  if (address.kind === "sqlite") {
    const settings = { synchronous: durability === "full" ? "FULL" : "NORMAL" } as const;
    const database = openSqlite(address.file, { ...settings, readers: connections ?? 3 });
    return {
      database,
      liveness: sqliteLiveness(address.file),
      migrate: migrateWith(sqliteMigrations(address.file, settings), database.read),
    };
  }
  const settings = { requireFlush: durability === "full" };
  const database = openMysql(requestPool(address, connections ?? 10, settings));
  return {
    database,
    liveness: mysqlLiveness(address, database),
    migrate: migrateWith(mysqlMigrations(address, settings), database.read),
  };
};

const storesOn = (database: Database, resources: Resources): Stores => ({
  resources: knexResourceRepository(database, resources),
  events: knexEventStore(database),
  jobs: knexJobStore(database),
});

/**
 * Storage on SQLite or MySQL/MariaDB. Connects when it is first used.
 * @throws TypeError for a URL or an option that cannot be meant.
 */
export const createKnexStorage = (options: KnexStorageOptions): KnexStorage => {
  const { database, liveness, migrate } = open(options);
  const resources: Resources = new Map((options.resources ?? builtInResources).map((known) => [known.name, known]));
  let closing: Promise<void> | undefined;

  return {
    storage: {
      ...storesOn(database, resources),
      transaction: (work) => database.transaction((inside) => work(storesOn(inside, resources))),
      check: () => checkSchema(migrate),
    },
    rateLimits: knexRateLimitStore(database),
    liveness,
    migrate,
    close: () => {
      closing ??= liveness.close().then(() => database.close());
      return closing;
    },
  };
};
