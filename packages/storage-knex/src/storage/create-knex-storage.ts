import type { Resource, Storage } from "@postern/core";
import {
  handWrittenResources,
  OptionError,
  option,
  optionFaults,
  refuseFaults,
  required,
} from "@postern/core/internal";
import {
  type DeprecatedUseStore,
  type Liveness,
  type RateLimitStore,
  readsOf,
  type Telemetry,
  type Wakeup,
} from "@postern/core/ports";
import type { Knex } from "knex";
import type { Resources } from "../engine/condition-to-sql.ts";
import { type DatabaseAddress, parseDatabaseUrl } from "../engine/database-url.ts";
import { notingFullDisk } from "../engine/full-disk.ts";
import type { ClosableLiveness, LowLimit, OpenDatabase } from "../engine/open-database.ts";
import { KnexTables } from "../engine/own-tables.ts";
import { replacementIn } from "../engine/replaced-store.ts";
import { storageFull } from "../engine/translate-error.ts";
import { lowLimitsOf } from "../mysql/low-limits.ts";
import { mysqlLiveness } from "../mysql/mysql-liveness.ts";
import { mysqlMigrations } from "../mysql/mysql-migrations.ts";
import { mysqlPool } from "../mysql/pool.ts";
import { missingVacuum, weakReplication } from "../postgres/low-limits.ts";
import { type PostgresAddress, postgresPool } from "../postgres/pool.ts";
import { postgresLiveness } from "../postgres/postgres-liveness.ts";
import { postgresMigrations } from "../postgres/postgres-migrations.ts";
import { type PostgresWakeup, postgresWakeup } from "../postgres/postgres-wakeup.ts";
import { declaredResources } from "../schema/declared/declared-tables.ts";
import { checkSchema, type Migrate, type MigrationPlace, migrateWith } from "../schema/migrate.ts";
import { type StoragePart, storageParts } from "../schema/migrations/migration.ts";
import { createLineage } from "../server/lineage.ts";
import type { LockLiveness } from "../server/lock-liveness.ts";
import type { RepeatReason } from "../server/repeating.ts";
import type { ServerPool } from "../server/server.ts";
import { openServer } from "../server/server-database.ts";
import { createServerWatch } from "../server/server-watch.ts";
import { openSqlite } from "../sqlite/sqlite-database.ts";
import { sqliteLiveness } from "../sqlite/sqlite-liveness.ts";
import { sqliteMigrations } from "../sqlite/sqlite-migrations.ts";
import { knexAuditChain } from "../stores/knex-audit-chain.ts";
import { knexCounts } from "../stores/knex-counts.ts";
import { knexDeliveryCounts } from "../stores/knex-delivery-counts.ts";
import { knexDeprecatedUses } from "../stores/knex-deprecated-uses.ts";
import { knexFeedStore } from "../stores/knex-feed-store.ts";
import { knexHousekeeping } from "../stores/knex-housekeeping.ts";
import { knexRateLimitStore } from "../stores/knex-rate-limit-store.ts";
import { knexRefusals } from "../stores/knex-refusals.ts";
import { everyStore, knexStores } from "../stores/knex-stores.ts";
import { resourceGraph } from "../stores/resource-graph.ts";
import { repositoryParts } from "../stores/resource-statements.ts";
import { type DatabaseFacts, inspectMysql, inspectPostgres, inspectSqlite } from "./inspect.ts";

// The types of the tarball have it only beside a type that they need.
declare module "@postern/core" {
  interface OwnTables {
    /**
     * Knex for tables of your own in Postern's database. Its statements belong to the transaction, and
     * their errors are the driver's. It begins no transactions, and refuses statements that would end
     * this one.
     */
    readonly knex: Knex;
  }
}

export interface KnexStorageOptions {
  /**
   * `sqlite:./data/postern.db`, `postgres://user:password@host:5432/name`,
   * `mysql://user:password@host:3306/name` or `mariadb://…`. With
   * `?driver=node:sqlite`, `better-sqlite3` or `sqlite3` a SQLite file is opened by that library alone.
   */
  readonly url: string;
  /**
   * PostgreSQL behind a pooler in transaction mode (`?pooler=transaction` in `url`): the URL of the server
   * itself, for one connection that shows that this process runs. Without it, other processes wait 30
   * seconds before they take the jobs of one that has died.
   */
  readonly livenessUrl?: string;
  /**
   * All resources of the application: those of its parts (`resourcesOfParts` of `@postern/app`) and
   * its own. `migrate` makes and extends the tables of its own.
   */
  readonly resources?: readonly Resource[];
  /**
   * The parts of the product that are in use. Default: all. A part that you leave out gets no
   * tables, and its stores and resources cannot be used. `posts` needs `users`.
   */
  readonly parts?: readonly StoragePart[];
  /**
   * `full` (default): committed data survives a power cut; on a database server, its
   * settings are checked for this. `relaxed`: a power cut may lose the last second; a crash of the
   * process loses nothing.
   */
  readonly durability?: "full" | "relaxed";
  /**
   * PostgreSQL, MySQL and MariaDB: the most connections at once; default 10. SQLite: connections that read, in
   * addition to the one that writes; default 3.
   */
  readonly connections?: number;
  /**
   * How many milliseconds a statement that reads for a request may take. After that it is ended
   * with `query_too_slow`. Default 2,000.
   */
  readonly readLimitMs?: number;
  /**
   * SQLite: how many milliseconds a write waits for its turn. After that it fails with `unavailable`.
   * Only time in which the event loop ran counts. Default 2,000.
   */
  readonly writeWaitMs?: number;
  /**
   * PostgreSQL, MySQL and MariaDB: counts transactions that were run again because they collided with others or
   * lost their connection. SQLite: reports how large the log of event keys is, and how long its
   * merges take.
   */
  readonly telemetry?: Pick<Telemetry, "count" | "gauge" | "observe"> & Partial<Pick<Telemetry, "log">>;
  /**
   * Detects a write to this storage from inside a transaction's work, which would wait for itself.
   * With `true` (default) such a write is refused at once, with a clear message. With `false` it
   * fails as `unavailable` after some seconds, but small writes are 1.5 times as fast.
   */
  readonly guardNesting?: boolean;
}

export interface KnexStorage {
  /** Nothing in it works before `migrate.latest()` has run once on the database. */
  readonly storage: Storage;
  readonly rateLimits: RateLimitStore;
  readonly deprecatedUses: DeprecatedUseStore;
  readonly liveness: Liveness;
  readonly migrate: Migrate;
  /** Wakes the workers of all processes on the database. Absent where it carries no messages. */
  readonly wakeup?: Wakeup;
  /** Whether other machines may use the database at the same time. A SQLite file belongs to one. */
  readonly isShared: boolean;
  /**
   * Facts about the database for operators, apart from its tables.
   * @throws AppError `unavailable`
   */
  inspect(): Promise<DatabaseFacts>;
  /**
   * Settings of the server that are lower than what this storage needs, each with what to set: limits of
   * MySQL and MariaDB, and autovacuum of PostgreSQL. `longestBytes` is the longest body that will be
   * stored. If the URL names several hosts, also what lets a failover lose commits. Always empty for
   * SQLite.
   * @throws AppError `unavailable`
   */
  lowLimits(needs: { readonly longestBytes: number }): Promise<readonly LowLimit[]>;
  /**
   * Why the database is no longer the one that was opened first: the file was removed or replaced,
   * or another server answers. Everything is refused with `unavailable` then. `undefined` if it is
   * the same.
   * @throws AppError `unavailable` when it does not answer.
   */
  replacement(): Promise<string | undefined>;
  /**
   * Waits for writes under way, releases this process's runner locks and closes every connection. A
   * second call does nothing.
   */
  close(): Promise<void>;
}

const optionRules: Readonly<Record<keyof KnexStorageOptions, unknown>> & Parameters<typeof optionFaults>[2] = {
  url: required(option.aText),
  livenessUrl: option.anything,
  resources: option.aList,
  parts: option.anything,
  durability: option.anything,
  connections: option.anything,
  readLimitMs: option.anything,
  writeWaitMs: option.anything,
  telemetry: option.anything,
  guardNesting: option.anything,
};

/**
 * A caller without types can misspell an option or write a resource by hand.
 * @throws DeclarationError
 */
const checkOptions = (options: KnexStorageOptions): void => {
  refuseFaults(optionFaults("createKnexStorage", options, optionRules));
  refuseFaults(handWrittenResources(options.resources));
};

interface Opened {
  readonly wakeup?: PostgresWakeup;
  readonly isShared: boolean;
  readonly inspect: () => Promise<DatabaseFacts>;
  readonly lowLimits: KnexStorage["lowLimits"];
  readonly database: OpenDatabase;
  readonly liveness: ClosableLiveness;
  readonly migrate: Migrate;
}

/** @throws TypeError for an unknown part, and for a part without another one that it needs. */
const partsInUse = ({ parts = storageParts }: KnexStorageOptions): readonly StoragePart[] => {
  const unknown = parts.find((part) => !storageParts.includes(part));
  if (unknown !== undefined)
    throw new TypeError(`there is no part "${unknown}"; the parts are ${storageParts.join(", ")}`);
  if (parts.includes("posts") && !parts.includes("users"))
    throw new TypeError('the part "posts" needs the part "users"');
  return parts;
};

const onlyBehindPooler = (): OptionError =>
  new OptionError(
    "livenessUrl",
    "it leads to PostgreSQL itself, and goes with a url of PostgreSQL that has pooler=transaction",
  );

/** Where runners hold their locks. @throws TypeError */
const directAddress = (address: PostgresAddress, livenessUrl: string | undefined): PostgresAddress | undefined => {
  if (livenessUrl === undefined) return address.pooled ? undefined : address;
  let direct: DatabaseAddress;
  try {
    direct = parseDatabaseUrl(livenessUrl);
  } catch (thrown) {
    throw thrown instanceof OptionError ? new OptionError("livenessUrl", thrown.reason) : thrown;
  }
  if (address.pooled && direct.kind === "postgres" && !direct.pooled) return direct;
  throw onlyBehindPooler();
};

const open = (options: KnexStorageOptions, resources: Resources, parts: readonly StoragePart[]): Opened => {
  const { url, livenessUrl, durability = "full", connections, telemetry, guardNesting = true } = options;
  const { readLimitMs = 2_000, writeWaitMs = 2_000 } = options;
  for (const [name, value] of Object.entries({ readLimitMs, writeWaitMs })) {
    if (!(Number.isInteger(value) && value >= 1)) throw new TypeError(`${name} is a whole number from 1, not ${value}`);
  }
  if (connections !== undefined && !(Number.isInteger(connections) && connections >= 1 && connections <= 1000)) {
    throw new TypeError(`connections is a whole number from 1 to 1,000, not ${connections}`);
  }
  const address = parseDatabaseUrl(url);
  const wanted = { parts, declared: declaredResources(resources, parts), resources };
  if (address.kind !== "postgres" && livenessUrl !== undefined) throw onlyBehindPooler();
  if (address.kind === "sqlite") {
    const settings = { synchronous: durability === "full" ? "FULL" : "NORMAL", driver: address.driver } as const;
    const database = openSqlite(address.file, {
      ...settings,
      readers: connections ?? 3,
      guardNesting,
      readLimitMs,
      writeWaitMs,
      telemetry,
    });
    return {
      isShared: false,
      database,
      inspect: () => inspectSqlite(address),
      lowLimits: async () => [],
      liveness: sqliteLiveness(address),
      migrate: migrateWith(
        sqliteMigrations(address.file, settings, (text) => telemetry?.log?.("warn", text)),
        database.read,
        wanted,
      ),
    };
  }
  const settings = { requireFlush: durability === "full" };
  const lineage = createLineage();
  const servers = createServerWatch();
  const repeated = (reason: RepeatReason, by = 1): void => telemetry?.count("database_repeats", { reason }, by);
  repeated("contention", 0);
  repeated("connection", 0);
  const onServer = <Connection>(
    pool: ServerPool<Connection>,
    livenessOf: (database: OpenDatabase) => LockLiveness,
    migrations: MigrationPlace,
  ) => {
    const limits = { guardNesting, readLimitMs, lineage, servers, onDemoted: () => liveness.renew() };
    const database = openServer(pool, limits, repeated);
    const liveness = livenessOf(database);
    const migrate = migrateWith(migrations, database.read, wanted);
    return { isShared: true, database, liveness, migrate };
  };
  if (address.kind === "postgres") {
    const opened = onServer(
      postgresPool(address, connections ?? 10, { ...settings, readLimitMs }, lineage, servers),
      (database) => postgresLiveness(directAddress(address, livenessUrl), settings, database),
      postgresMigrations(address, settings),
    );
    const { database } = opened;
    return {
      ...opened,
      // Behind a pooler, workers look for work by themselves.
      ...(address.pooled ? {} : { wakeup: postgresWakeup(address, settings, database) }),
      inspect: () => inspectPostgres(database),
      lowLimits: async () => [
        ...(await missingVacuum(database)),
        ...(address.hosts.length > 1 ? await weakReplication(database) : []),
      ],
    };
  }
  const opened = onServer(
    mysqlPool(address, connections ?? 10, settings, lineage, servers),
    (database) => mysqlLiveness(address, settings, database),
    mysqlMigrations(address, settings),
  );
  const { database } = opened;
  return {
    ...opened,
    inspect: () => inspectMysql(database),
    lowLimits: (needs) =>
      lowLimitsOf(database, { ...needs, connections: connections ?? 10, hosts: address.hosts.length }),
  };
};

/**
 * Opens a storage on SQLite, PostgreSQL or MySQL/MariaDB. It connects when you first use it; run
 * `migrate.latest()` before anything else.
 * @throws TypeError for an invalid URL or option, and for a resource whose table cannot be made;
 *   DeclarationError for an option that does not exist.
 */
export const createKnexStorage = (options: KnexStorageOptions): KnexStorage => {
  checkOptions(options);
  const parts = partsInUse(options);
  const resources: Resources = new Map((options.resources ?? []).map((each) => [each.name, each]));
  const graph = resourceGraph(resources);
  const { database: opened, liveness, migrate, isShared, wakeup, inspect, lowLimits } = open(options, resources, parts);
  const { database, disk } = notingFullDisk(opened, async () => (await inspect()).freeBytes);
  const repository = repositoryParts(database.dialect, resources, graph);
  let closing: Promise<void> | undefined;
  // Reserves a number that nobody needs: the smallest write that reaches the disk on every database.
  const checkWritable = async (): Promise<void> => {
    await database.write((session) => database.dialect.reserve(session, "event", 1));
  };

  return {
    storage: {
      ...everyStore(knexStores(database, repository)),
      transaction: (work, { network } = {}) =>
        database.transaction((inside) => work(knexStores(inside, repository), new KnexTables(inside)), network),
      snapshot: (work, signal) =>
        database.snapshot(
          (inside) => work(readsOf(knexStores(inside, repository).resources), new KnexTables(inside)),
          signal,
        ),
      join: (given) => {
        const { database: joined, afterCommit } = database.join(given);
        return { stores: knexStores(joined, repository), afterCommit };
      },
      auditChain: knexAuditChain(database),
      deliveryCounts: knexDeliveryCounts(database),
      feed: knexFeedStore(database),
      refusals: knexRefusals(database),
      counts: knexCounts(database),
      past: { setbacks: () => database.ids.drops(), look: () => database.lookBack() },
      freeBytes: async () => (await inspect()).freeBytes,
      housekeeping: knexHousekeeping(database, { inbox: parts.includes("inbox"), resources, repository }),
      check: async () => {
        await database.requireSame();
        await checkSchema(migrate);
        // Where nothing else writes, this finds out that there is room again.
        if (disk.isFull) await checkWritable();
        if (disk.isFull) throw storageFull(new Error("there is too little room for a webhook"));
      },
      checkWritable,
    },
    rateLimits: knexRateLimitStore(database),
    deprecatedUses: knexDeprecatedUses(database),
    liveness,
    isShared,
    ...(wakeup === undefined ? {} : { wakeup }),
    inspect,
    lowLimits,
    replacement: async () => {
      // While nothing uses the database, nothing goes into a wrong one.
      if (!opened.wasUsed()) return undefined;
      try {
        await database.requireSame();
        return undefined;
      } catch (thrown) {
        const reason = replacementIn(thrown);
        if (reason === undefined) throw thrown;
        return reason;
      }
    },
    migrate: { ...migrate, down: () => migrate.down().finally(opened.forgetIdentity) },
    close: () => {
      closing ??= Promise.all([liveness.close(), wakeup?.close()]).then(() => database.close());
      return closing;
    },
  };
};
