/**
 * What accepting, claiming, listing and replaying cost as events are stored: on each size of the
 * database, the same work, by the storage alone. From the root:
 *
 * `node --conditions=@postern/source --import tsx benchmarks/inbox/growth.ts [--readme] [--sizes
 * 0,10000] [--database mariadb] [--folder /a/disk]`.
 *
 * The rows are made by SQL in the database itself, with small bodies and spread over 35 days; the
 * measured events have 1 KiB.
 */
import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { resourcesOfParts } from "@postern/app";
import type { ClaimedJob, NewEvent, Storage } from "@postern/core";
import { jobStates } from "@postern/core";
import { createKnexStorage } from "../../packages/storage-knex/src/index.ts";
import { option } from "./measured-server.ts";

const isMariadb = option("--database") === "mariadb";
const sizes = (option("--sizes") ?? (isMariadb ? "0,10000,100000,1000000" : "0,10000,100000,1000000"))
  .split(",")
  .map(Number);
const events = Number(option("--events") ?? 131_072);
const perCommit = 48;
const days = 35;
const dayMs = 86_400_000;
/** Jobs of older events were deleted. */
const jobDays = 7;
/** This many keys wait in the log before they are merged; see `event-keys.ts`. */
const keysInLog = 131_072;
const directory = mkdtempSync(join(option("--folder") ?? tmpdir(), "postern-growth-"));
const mysqlServer = process.env.POSTERN_TEST_MYSQL_URL ?? "mysql://root@127.0.0.1:3306";
const need = createRequire(new URL("../../packages/storage-knex/package.json", import.meta.url));

type Execute = (sql: string) => Promise<unknown>;

interface Place {
  readonly url: string;
  readonly execute: Execute;
  readonly close: () => Promise<void>;
}

const onSqlite = (size: number): Place => {
  const file = join(directory, `${size}.db`);
  const sqlite = need("sqlite3");
  const database = new sqlite.Database(file);
  return {
    url: `sqlite:${file}`,
    execute: (sql) =>
      new Promise<void>((resolve, reject) =>
        database.exec(sql, (error: Error | null) => (error === null ? resolve() : reject(error))),
      ),
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
  const type = isMariadb ? "CONCAT('type.', n % 20)" : "'type.' || (n % 20)";
  if (isMariadb) await execute("ALTER TABLE inbox_event DROP KEY dedupe_key");
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
    // In the order of the keys, which takes a fraction of the time.
    await execute("ALTER TABLE inbox_event ADD UNIQUE KEY dedupe_key (provider, dedupe_key)");
    await execute("ANALYZE TABLE inbox_event, job");
  }
};

/** A number in the lines of a file below `/proc`. */
const lineOf = (file: string, name: string): number =>
  Number(new RegExp(`^${name}: (\\d+)`, "m").exec(readFileSync(file, "utf8"))?.[1]);

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

interface Usage {
  readonly micros: number;
  readonly written: number;
  readonly read: number;
}

/**
 * Processor time, bytes written to the disk and bytes read from files: of this process, or of the
 * database's own process.
 */
const usage = (): Usage => {
  const pid = database ?? "self";
  const own = process.cpuUsage();
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  const server = database === undefined ? 0 : (Number(fields[11]) + Number(fields[12])) * 10_000;
  return {
    micros: own.user + own.system + server,
    written: lineOf(`/proc/${pid}/io`, "write_bytes"),
    read: lineOf(`/proc/${pid}/io`, "rchar"),
  };
};

const median = (values: readonly number[]): number =>
  values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN;

interface Cost {
  readonly micros: number;
  readonly written: number;
  readonly pagesRead: number;
}

/**
 * The cost of each of `count` pieces of work. Processor time is the median of `rounds`; bytes are
 * counted over all rounds.
 */
const costOf = async (rounds: number, count: number, work: (round: number) => Promise<void>): Promise<Cost> => {
  const before = usage();
  const micros: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const from = usage().micros;
    await work(round);
    micros.push((usage().micros - from) / count);
  }
  const after = usage();
  return {
    micros: median(micros),
    written: (after.written - before.written) / (rounds * count),
    pagesRead: (after.read - before.read) / (rounds * count) / 4096,
  };
};

const body = Buffer.from(JSON.stringify({ object: "event", data: "x".repeat(990) }));

const newEvent = (): NewEvent => ({
  provider: "stripe",
  dedupeKey: `evt_${randomBytes(12).toString("hex")}`,
  eventId: undefined,
  type: "type.1",
  body,
  headers: { "content-type": "application/json" },
  bodySha256: randomBytes(32).toString("hex"),
  occurredAt: undefined,
  receivedAt: Date.now(),
  disposition: "accepted",
  reason: undefined,
  jobs: [{ kind: "log", maxAttempts: 12 }],
});

const lists: readonly (readonly [string, (size: number) => Parameters<Storage["events"]["list"]>[0]])[] = [
  ["list 25, newest", () => ({ limit: 25 })],
  ["list 25, from the middle", (size) => ({ before: Math.ceil(size / 2) + 1000, limit: 25 })],
  ["list 25 of a provider", () => ({ provider: "stripe", limit: 25 })],
  ["list 25 of a type", () => ({ type: "type.1", limit: 25 })],
  ["list 25 in a state", () => ({ state: "received", limit: 25 })],
];

/** Does all the work on a database of one size, in the order of an event's life. */
const measure = async (storage: Storage, size: number): Promise<ReadonlyMap<string, Cost>> => {
  const costs = new Map<string, Cost>();
  const ids: number[] = [];
  const commits = 64;
  costs.set(
    "accept an event",
    await costOf(Math.ceil(events / commits / perCommit), commits * perCommit, async () => {
      for (let commit = 0; commit < commits; commit += 1) {
        const outcomes = await storage.events.accept(Array.from({ length: perCommit }, newEvent));
        for (const { outcome, id } of outcomes) {
          if (outcome !== "accepted") throw new Error(`the event ${id} was a ${outcome}`);
          ids.push(id);
        }
      }
    }),
  );
  for (const [name, query] of lists) {
    costs.set(
      name,
      await costOf(20, 10, async () => {
        for (let each = 0; each < 10; each += 1) {
          const found = await storage.events.list(query(size));
          if (found.length !== 25) throw new Error(`${name}: ${found.length} events`);
        }
      }),
    );
  }
  const runnerId = await storage.runners.register({ name: "growth", kinds: [] }, Date.now());
  const claims: ClaimedJob[] = [];
  costs.set(
    "claim a job",
    await costOf(40, 128, async () => {
      const claimed = await storage.jobs.claim({ runnerId, queue: "default", limit: 128, now: Date.now() });
      if (claimed.length !== 128) throw new Error(`${claimed.length} jobs were claimed`);
      claims.push(...claimed);
    }),
  );
  costs.set(
    "end a job",
    await costOf(40, 128, async (round) => {
      const ended = claims.slice(round * 128, (round + 1) * 128);
      await storage.jobs.finish(
        ended.map((job) => ({ job, end: { to: "done" } })),
        Date.now(),
      );
    }),
  );
  costs.set(
    "replay an event",
    await costOf(20, 25, async (round) => {
      // Old events; on the empty database new ones.
      const first = size === 0 ? (ids[0] ?? 0) + round * 25 : Math.floor((size * (round + 1)) / 22);
      const wanted = Array.from({ length: 25 }, (_, at) => ({
        id: first + at,
        extraJobs: [{ kind: "again", maxAttempts: 12 }],
      }));
      const made = await storage.events.replay(wanted, { includeDone: false, now: Date.now() });
      if (made.some((count) => count === 0)) throw new Error("an event was not replayed");
    }),
  );
  return costs;
};

const costsAt = async (size: number): Promise<ReadonlyMap<string, Cost>> => {
  const place = isMariadb ? await onMariadb(size) : onSqlite(size);
  const { storage, migrate, close } = createKnexStorage({
    url: place.url,
    guardNesting: false,
    readLimitMs: 60_000,
    parts: ["inbox"],
    resources: resourcesOfParts(["inbox"]),
  });
  try {
    await migrate.latest();
    await fill(place.execute, size, Date.now());
    return await measure(storage, size);
  } finally {
    await close();
    await place.close();
  }
};

const results: (readonly [number, ReadonlyMap<string, Cost>])[] = [];
try {
  for (const size of sizes) {
    results.push([size, await costsAt(size)]);
    for (const [name, { micros, written, pagesRead }] of results.at(-1)?.[1] ?? []) {
      console.error(
        `${size}: ${name}: ${micros.toFixed(1)} µs, ${written.toFixed(0)} B written, ${pagesRead.toFixed(1)} pages read`,
      );
    }
  }
} finally {
  rmSync(directory, { recursive: true, force: true });
}

const [, first = new Map<string, Cost>()] = results[0] ?? [];
const heads = results.map(([size]) => `${size.toLocaleString("en")} stored`);
const cells = (name: string): readonly string[] =>
  results.map(([, costs]) => {
    const { micros = Number.NaN, written = Number.NaN, pagesRead = Number.NaN } = costs.get(name) ?? {};
    const times = micros / (first.get(name)?.micros ?? Number.NaN);
    return `${micros.toFixed(0)} µs (${times.toFixed(2)}), ${(written / 1000).toFixed(1)} kB, ${pagesRead.toFixed(1)}`;
  });
const table = [
  `| work | ${heads.join(" | ")} |`,
  `|---|${heads.map(() => "---:|").join("")}`,
  ...[...first.keys()].map((name) => `| ${name} | ${cells(name).join(" | ")} |`),
];
const text = `Node ${process.versions.node}, ${new Date().toISOString().slice(0, 10)}, ${isMariadb ? "MariaDB" : "SQLite"}, ${events.toLocaleString("en")} events of 1 KiB accepted, ${perCommit} a commit, random ids.\n\n${table.join("\n")}`;
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
