/**
 * What accepting, claiming, listing and replaying cost as events are stored: on each size of the
 * database, the same work, by the storage alone. From the root:
 *
 * `node --conditions=@postern/source --import tsx benchmarks/inbox/growth.ts [--readme] [--sizes
 * 10000,100000] [--database mariadb] [--folder /a/disk]`.
 *
 * The rows are made by SQL in the database itself, with small bodies and spread over 35 days; the
 * measured events have 1 KiB.
 */
import { randomBytes } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { resourcesOfParts } from "@postern/app";
import type { Storage } from "@postern/core";
import { type ClaimedJob, jobStates } from "@postern/core/ports";
import { createKnexStorage } from "../../packages/storage-knex/src/index.ts";
import { option } from "./measured-server.ts";
import { newEvent } from "./new-event.ts";

const isMariadb = option("--database") === "mariadb";
const sizes = (option("--sizes") ?? "10000,100000,1000000,10000000").split(",").map(Number);
const events = Number(option("--events") ?? 131_072);
const perCommit = 48;
const types = 20;
const days = 35;
const dayMs = 86_400_000;
/** Jobs of older events were deleted. */
const jobDays = 7;
/** This many keys wait in the log before they are merged; see `event-keys.ts`. */
const keysInLog = 400_000;
const directory = mkdtempSync(join(option("--folder") ?? tmpdir(), "postern-growth-"));
const mysqlServer = process.env.POSTERN_TEST_MYSQL_URL ?? "mysql://root@127.0.0.1:3306";
const need = createRequire(new URL("../../packages/storage-knex/package.json", import.meta.url));

type Execute = (sql: string) => Promise<unknown>;

interface Place {
  readonly url: string;
  readonly execute: Execute;
  /** Waits until the server has done what it left for later, which would be counted elsewhere. */
  readonly settle: () => Promise<void>;
  readonly close: () => Promise<void>;
}

const onSqlite = (size: number): Place => {
  const file = join(directory, `${size}-${randomBytes(4).toString("hex")}.db`);
  const sqlite = need("sqlite3");
  const database = new sqlite.Database(file);
  return {
    url: `sqlite:${file}`,
    execute: (sql) =>
      new Promise<void>((resolve, reject) =>
        database.exec(sql, (error: Error | null) => (error === null ? resolve() : reject(error))),
      ),
    settle: () => Promise.resolve(),
    close: async () => {
      await new Promise((resolve) => database.close(resolve));
      for (const end of ["", "-wal", "-shm"]) rmSync(`${file}${end}`, { force: true });
    },
  };
};

const onMariadb = async (size: number): Promise<Place> => {
  const name = `postern_growth_${size}_${randomBytes(4).toString("hex")}`;
  const connection = await need("mysql2/promise").createConnection(mysqlServer);
  await connection.query(`CREATE DATABASE ${name}`);
  await connection.query(`USE ${name}`);
  return {
    url: `${mysqlServer}/${name}`,
    execute: (sql) => connection.query(sql),
    settle: async () => {
      // Returns when no old version of a row is left. MySQL has no such variable.
      await connection.query("SET GLOBAL innodb_max_purge_lag_wait = 0");
    },
    close: async () => {
      await connection.query(`DROP DATABASE ${name}`);
      await connection.end();
    },
  };
};

/** A query that gives the numbers from 1 to `size` as `n`. */
const numbers = (size: number): string =>
  isMariadb
    ? `(SELECT seq AS n FROM seq_1_to_${size})`
    : `(WITH RECURSIVE counted (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < ${size}) SELECT n FROM counted)`;

/**
 * Fills the tables of a migrated database with events that arrived evenly over the days before
 * `now`.
 */
const fill = async (execute: Execute, size: number, now: number): Promise<void> => {
  if (size === 0) return;
  const received = `${now - days * dayMs} + numbered.n * ${(days * dayMs) / size}`;
  const whole = isMariadb ? `FLOOR(${received})` : `CAST(${received} AS INTEGER)`;
  const key = isMariadb ? "CONCAT('evt_', SUBSTRING(SHA2(n, 256), 1, 24))" : "'evt_' || lower(hex(randomblob(12)))";
  const type = isMariadb ? `CONCAT('type.', n % ${types})` : `'type.' || (n % ${types})`;
  // MariaDB then fills an empty table index by index.
  if (isMariadb) await execute("SET unique_checks = 0, foreign_key_checks = 0");
  else await execute("PRAGMA synchronous = OFF; PRAGMA cache_size = -200000; BEGIN");
  await execute(`INSERT INTO inbox_event (id, provider, dedupe_key, event_id, type, body, headers, body_sha256,
      occurred_at, received_at, disposition, reason, repeats)
    SELECT n, 'stripe', ${key}, NULL, ${type}, '{}', '{}', '${"0".repeat(64)}', NULL, ${whole}, 0, NULL, 0
      FROM ${numbers(size)} AS numbered`);
  const withJobs = Math.ceil((size * jobDays) / days);
  await execute(`INSERT INTO job (id, event_ref, queue, kind, priority, state, attempt, max_attempts, losses, suspect,
      created_at, started_at, finished_at)
    SELECT n, n, 'default', 'log', 0, ${jobStates.done}, 1, 12, 0, 0, ${whole}, ${whole}, ${whole}
      FROM ${numbers(size)} AS numbered WHERE n > ${size - withJobs}`);
  if (!isMariadb) {
    const merged = Math.max(0, size - keysInLog + 1);
    await execute(`INSERT INTO event_key (hash, event)
      SELECT random() / 65536, n FROM ${numbers(size)} AS numbered WHERE n <= ${merged} ORDER BY 1`);
    await execute(`INSERT INTO event_key_log (hash, event)
      SELECT random() / 65536, n FROM ${numbers(size)} AS numbered WHERE n > ${merged}`);
  }
  await execute(`UPDATE id_block SET next = ${size + 1} WHERE name IN ('event', 'job')`);
  if (!isMariadb) await execute("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)");
  else {
    await execute("ANALYZE TABLE inbox_event, job");
    // Writes their pages, which the server would otherwise do during the measured work.
    await execute("FLUSH TABLES inbox_event, job FOR EXPORT");
    await execute("UNLOCK TABLES");
  }
};

/** A number in the lines of a file below `/proc`. */
const lineOf = (file: string, name: string): number =>
  Number(new RegExp(`^${name}: (\\d+)`, "m").exec(readFileSync(file, "utf8"))?.[1]);

/** The size of the server's buffer pool in MB. */
const poolSize = async (): Promise<number> => {
  const connection = await need("mysql2/promise").createConnection(mysqlServer);
  try {
    const [[{ bytes }]] = await connection.query("SELECT @@innodb_buffer_pool_size AS bytes");
    return Number(bytes) / 2 ** 20;
  } finally {
    await connection.end();
  }
};

/** The process of the MariaDB that answers, where it is on this machine and its file may be read. */
const serverPid = async (): Promise<string | undefined> => {
  const connection = await need("mysql2/promise").createConnection(mysqlServer);
  try {
    const [[{ file, folder }]] = await connection.query("SELECT @@pid_file AS file, @@datadir AS folder");
    return readFileSync(resolve(folder, file), "utf8").trim();
  } catch {
    // It is elsewhere.
    return undefined;
  } finally {
    await connection.end();
  }
};

const database = isMariadb ? await serverPid() : undefined;

/**
 * Nanoseconds of processor time of each thread of the database's own process. The clock of a whole
 * process counts in steps of 10 ms.
 */
const threads = (): ReadonlyMap<string, number> => {
  const folder = `/proc/${database}/task`;
  const times = new Map<string, number>();
  for (const id of database === undefined ? [] : readdirSync(folder)) {
    try {
      times.set(id, Number(readFileSync(`${folder}/${id}/schedstat`, "utf8").split(" ")[0]));
    } catch {
      // The thread has just ended.
    }
  }
  return times;
};

/** Counts microseconds of processor time, of this process and of the database's own. */
const stopwatch = (): (() => number) => {
  const before = threads();
  const own = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(own);
    const nanos = [...threads()].reduce((sum, [id, time]) => sum + time - (before.get(id) ?? 0), 0);
    return user + system + nanos / 1000;
  };
};

/** Bytes written to the disk and read from files, by this process or by the database's own. */
const traffic = () => {
  const file = `/proc/${database ?? "self"}/io`;
  return { written: lineOf(file, "write_bytes"), read: lineOf(file, "rchar") };
};

const median = (values: readonly number[]): number =>
  values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN;

interface Cost {
  readonly micros: number;
  readonly written: number;
  readonly pagesRead: number;
}

/** A database of one size, and what the measured work has left in it. */
interface Bench {
  readonly size: number;
  readonly storage: Storage;
  readonly settle: Place["settle"];
  readonly runnerId: number;
  readonly ids: number[];
  readonly claims: ClaimedJob[];
}

/** One kind of work. A round of it does `count` pieces. */
interface Work {
  readonly name: string;
  readonly rounds: number;
  readonly count: number;
  readonly round: (bench: Bench, round: number) => Promise<void>;
}

interface Rounds {
  readonly bench: Bench;
  readonly micros: number[];
  written: number;
  read: number;
}

const doRound = async ({ count, round }: Work, rounds: Rounds, at: number): Promise<void> => {
  const before = traffic();
  const stop = stopwatch();
  await round(rounds.bench, at);
  rounds.micros.push(stop() / count);
  const after = traffic();
  rounds.written += after.written - before.written;
  rounds.read += after.read - before.read;
};

/**
 * The cost of each piece of work on each database. Processor time is the median of the rounds; bytes
 * are counted over all of them.
 *
 * On SQLite, the databases take turns after each round, so that a busy machine slows all of them
 * alike. MariaDB writes pages and removes old versions of rows long after the work that changed
 * them. So one database comes after the other, and each begins when the old versions are gone.
 */
const costsOf = async (work: Work, benches: readonly Bench[]): Promise<readonly Cost[]> => {
  const all = benches.map((bench): Rounds => ({ bench, micros: [], written: 0, read: 0 }));
  const turns = Array.from({ length: work.rounds }, (_, at) => at);
  if (isMariadb) {
    for (const rounds of all) {
      await rounds.bench.settle();
      for (const at of turns) await doRound(work, rounds, at);
    }
  } else for (const at of turns) for (const rounds of all) await doRound(work, rounds, at);
  return all.map(({ micros, written, read }) => ({
    micros: median(micros),
    written: written / (work.rounds * work.count),
    pagesRead: read / (work.rounds * work.count) / 4096,
  }));
};

const fromMiddle = (size: number) => ({ before: Math.ceil(size / 2) + 1000 });

const lists: readonly (readonly [string, (size: number) => Parameters<Storage["events"]["list"]>[0]])[] = [
  ["list 25, newest", () => ({ limit: 25 })],
  ["list 25, from the middle", (size) => ({ ...fromMiddle(size), limit: 25 })],
  ["list 25 of a provider", () => ({ provider: "stripe", limit: 25 })],
  ["list 25 of a type", () => ({ type: "type.1", limit: 25 })],
  ["list 25 of a type, from the middle", (size) => ({ ...fromMiddle(size), type: "type.1", limit: 25 })],
  ["list 25 in a state", () => ({ state: "received", limit: 25 })],
];

const commits = 64;

const accept: Work = {
  name: "accept an event",
  rounds: Math.ceil(events / commits / perCommit),
  count: commits * perCommit,
  round: async ({ storage, ids }) => {
    for (let commit = 0; commit < commits; commit += 1) {
      const outcomes = await storage.events.accept(
        Array.from({ length: perCommit }, (_, place) => newEvent(`type.${place % types}`)),
      );
      for (const { outcome, id } of outcomes) {
        if (outcome !== "accepted") throw new Error(`the event ${id} was a ${outcome}`);
        ids.push(id);
      }
    }
  },
};

const listing = lists.map(
  ([name, query]): Work => ({
    name,
    rounds: 40,
    count: 10,
    round: async ({ storage, size }) => {
      for (let each = 0; each < 10; each += 1) {
        const found = await storage.events.list(query(size));
        if (found.length !== 25) throw new Error(`${name}: ${found.length} events`);
      }
    },
  }),
);

const claim: Work = {
  name: "claim a job",
  rounds: 40,
  count: 128,
  round: async ({ storage, runnerId, claims }) => {
    const claimed = await storage.jobs.claim({ runnerId, queue: "default", limit: 128, now: Date.now() });
    if (claimed.length !== 128) throw new Error(`${claimed.length} jobs were claimed`);
    claims.push(...claimed);
  },
};

const end: Work = {
  name: "end a job",
  rounds: 40,
  count: 128,
  round: async ({ storage, claims }, round) => {
    const ended = claims.slice(round * 128, (round + 1) * 128);
    await storage.jobs.finish(
      ended.map((job) => ({ job, end: { to: "done" } })),
      Date.now(),
    );
  },
};

const replays = 100;

const replay: Work = {
  name: "replay an event",
  rounds: replays,
  count: 25,
  round: async ({ storage, size, ids }, round) => {
    // Old events; on the empty database new ones.
    const first = size === 0 ? (ids[0] ?? 0) + round * 25 : Math.floor((size * (round + 1)) / (replays + 2));
    const wanted = Array.from({ length: 25 }, (_, at) => ({
      id: first + at,
      extraJobs: [{ kind: "again", maxAttempts: 12 }],
    }));
    const made = await storage.events.replay(wanted, { includeDone: false, now: Date.now() });
    if (made.some((count) => count === 0)) throw new Error("an event was not replayed");
  },
};

/** All work, in the order of an event's life. */
const works: readonly Work[] = [accept, ...listing, claim, end, replay];

type Costs = ReadonlyMap<string, Cost>;

interface Opened {
  readonly bench: Bench;
  readonly close: () => Promise<void>;
}

const openBench = async (size: number): Promise<Opened> => {
  const place = isMariadb ? await onMariadb(size) : onSqlite(size);
  const { storage, migrate, close } = createKnexStorage({
    url: place.url,
    guardNesting: false,
    readLimitMs: 60_000,
    parts: ["inbox"],
    resources: resourcesOfParts(["inbox"]),
  });
  const closeAll = async (): Promise<void> => {
    await close();
    await place.close();
  };
  try {
    await migrate.latest();
    const from = Date.now();
    await fill(place.execute, size, from);
    if (size > 0) console.error(`${size}: stored in ${((Date.now() - from) / 1000).toFixed(0)} s`);
    const runnerId = await storage.runners.register({ name: "growth", kinds: [] }, Date.now());
    return { bench: { size, storage, settle: place.settle, runnerId, ids: [], claims: [] }, close: closeAll };
  } catch (thrown) {
    await closeAll();
    throw thrown;
  }
};

/** The costs on a database of this size and on an empty one, measured at the same time. */
const costsAt = async (size: number): Promise<{ readonly own: Costs; readonly empty: Costs }> => {
  const opened: Opened[] = [];
  try {
    for (const each of [0, size]) opened.push(await openBench(each));
    const own = new Map<string, Cost>();
    const empty = new Map<string, Cost>();
    for (const work of works) {
      const [ofEmpty, ofOwn] = await costsOf(
        work,
        opened.map(({ bench }) => bench),
      );
      if (ofEmpty === undefined || ofOwn === undefined) throw new Error("a database was not measured");
      empty.set(work.name, ofEmpty);
      own.set(work.name, ofOwn);
      console.error(
        `${size}: ${work.name}: ${ofEmpty.micros.toFixed(1)} µs empty, ${ofOwn.micros.toFixed(1)} µs, ${ofOwn.written.toFixed(0)} B written, ${ofOwn.pagesRead.toFixed(1)} pages read`,
      );
    }
    return { own, empty };
  } finally {
    for (const { close } of opened) await close();
  }
};

/** A ratio above this misses the goal. */
const bound = 1.3;

const results: { readonly size: number; readonly own: Costs; readonly empty: Costs }[] = [];
try {
  // This compiles the code of the work, which would make the first size seem dear.
  await costsAt(0);
  for (const size of sizes) results.push({ size, ...(await costsAt(size)) });
} finally {
  rmSync(directory, { recursive: true, force: true });
}

const nothing: Cost = { micros: Number.NaN, written: Number.NaN, pagesRead: Number.NaN };
const costIn = (costs: Costs | undefined, name: string): Cost => costs?.get(name) ?? nothing;
const timesEmpty = (name: string, { own, empty }: (typeof results)[number]): number =>
  costIn(own, name).micros / costIn(empty, name).micros;
const cell = (name: string, result: (typeof results)[number]): string => {
  const { micros, written, pagesRead } = costIn(result.own, name);
  const empty = costIn(result.empty, name).micros.toFixed(0);
  const times = timesEmpty(name, result).toFixed(2);
  return `${empty} → ${micros.toFixed(0)} µs (${times}), ${(written / 1000).toFixed(1)} kB, ${pagesRead.toFixed(1)}`;
};
const rows = works.map(({ name }) => `| ${[name, ...results.map((result) => cell(name, result))].join(" | ")} |`);
const missed = results.flatMap((result) =>
  works.flatMap(({ name }) => {
    const times = timesEmpty(name, result);
    return times > bound ? [`${name} at ${result.size.toLocaleString("en")} (${times.toFixed(2)})`] : [];
  }),
);
const heads = results.map(({ size }) => `${size.toLocaleString("en")} stored`);
const table = [`| work | ${heads.join(" | ")} |`, `|---|${heads.map(() => "---:|").join("")}`, ...rows];
const misses = `Above ${bound}: ${missed.length === 0 ? "nothing" : missed.join(", ")}.`;
const server = isMariadb ? `MariaDB with a buffer pool of ${await poolSize()} MB` : "SQLite";
const text = `Node ${process.versions.node}, ${new Date().toISOString().slice(0, 10)}, ${server}, ${events.toLocaleString("en")} events of 1 KiB accepted, ${perCommit} a commit, random ids.\n\n${table.join("\n")}

${misses}`;
console.log(text);
if (process.argv.includes("--readme")) {
  const readme = fileURLToPath(new URL("./README.md", import.meta.url));
  const mark = isMariadb ? "growth-mariadb" : "growth";
  const before = readFileSync(readme, "utf8");
  writeFileSync(
    readme,
    before.replace(
      new RegExp(`<!-- ${mark} -->[\\s\\S]*<!-- /${mark} -->`),
      `<!-- ${mark} -->\n${text}\n<!-- /${mark} -->`,
    ),
  );
}
