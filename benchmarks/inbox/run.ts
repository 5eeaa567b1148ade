/**
 * Measures how many webhooks a second are stored durably, by the whole server and by receivers as
 * people write them, in one run. From the root, after `node scripts/run.mjs bundle`: `node --import
 * tsx benchmarks/inbox/run.ts [--readme] [--only name,name] [--seconds n]`.
 *
 * Each server runs alone, pinned to one core with all its threads. The load comes from the other
 * core. Databases are on disk and flush at every commit.
 */
import { execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { workingDrivers } from "../sqlite-drivers.ts";
import { deliveriesFor, type Result, run } from "./load.ts";
import { option, pinLoad, startServer } from "./measured-server.ts";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const secret = "whsec_benchmark_secret_of_a_good_length";
const seconds = Number(option("--seconds") ?? 6);
/**
 * Long enough for the compiler to finish: on one core it takes time from the server, and more from
 * the larger one.
 */
const warmUpMs = 8_000;
const only = option("--only")?.split(",");
const directory = mkdtempSync(join(tmpdir(), "postern-bench-"));
const mysqlServer = process.env.POSTERN_TEST_MYSQL_URL ?? "mysql://root@127.0.0.1:3306";
const postgresServer = process.env.POSTERN_TEST_POSTGRES_URL ?? "postgres://postgres@127.0.0.1:5432/postgres";
const databaseName = `postern_bench_${randomBytes(4).toString("hex")}`;
pinLoad();

interface Contender {
  readonly name: string;
  readonly title: string;
  readonly command: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly needs?: "rivals" | "redis" | "mysql" | "postgres";
}

const ours = (
  name: string,
  title: string,
  environment: Readonly<Record<string, string>>,
  needs?: "mysql" | "postgres",
): Contender => ({
  name,
  title,
  command: [
    ...(process.env.PROFILE === "1" ? ["--cpu-prof", `--cpu-prof-dir=${join(tmpdir(), "postern-prof")}`] : []),
    here("../../apps/server/dist/main.js"),
  ],
  environment: {
    PORT: "0",
    WEBHOOK_STRIPE_SECRET: secret,
    POSTERN_RATE_LIMIT: "off",
    POSTERN_LOG_FORMAT: "json",
    POSTERN_SECRET_KEY: Buffer.alloc(32, 7).toString("base64"),
    ...environment,
  },
  ...(needs === undefined ? {} : { needs }),
});

const rival = (
  name: string,
  title: string,
  environment: Readonly<Record<string, string>>,
  needs?: Contender["needs"],
): Contender => ({
  name,
  title,
  command: ["--import", import.meta.resolve("tsx"), here("./receivers.ts"), name],
  environment,
  ...(needs === undefined ? {} : { needs }),
});

const file = (name: string): string => `sqlite:${join(directory, `${name}.db`)}`;

const onSqlite = (driver: string): readonly Contender[] => [
  ours(`postern-${driver}`, `**Postern**, SQLite by \`${driver}\`, takes only`, {
    DATABASE_URL: `${file(`ours-${driver.replace(":", "-")}`)}?driver=${driver}`,
    POSTERN_ROLE: "http",
  }),
  ours(`postern-${driver}-all`, `**Postern**, SQLite by \`${driver}\`, takes and runs the jobs`, {
    DATABASE_URL: `${file(`all-${driver.replace(":", "-")}`)}?driver=${driver}`,
    POSTERN_ROLE: "all",
    // With the usual ten at once, nearly all jobs would still wait at the end of the measurement.
    POSTERN_JOBS: "200",
  }),
];

const redisPort = 20_000 + Math.floor(Math.random() * 20_000);

const contenders: readonly Contender[] = [
  rival("bare", "bare `node:http`, reads the body, stores nothing", {}),
  ...(await workingDrivers()).flatMap(onSqlite),
  rival("express-sqlite", "Express + `stripe` + one SQLite insert", { DATABASE_URL: file("express") }, "rivals"),
  rival("koa-knex", "Koa + `stripe` + Knex on SQLite", { DATABASE_URL: file("knex") }),
  rival(
    "express-bullmq",
    "Express + `stripe` + BullMQ `add`, Redis flushed always",
    { REDIS_PORT: String(redisPort) },
    "redis",
  ),
  ours(
    "postern-mariadb",
    "**Postern**, MariaDB, takes only",
    { DATABASE_URL: `${mysqlServer}/${databaseName}`, POSTERN_ROLE: "http" },
    "mysql",
  ),
  rival(
    "express-mysql",
    "Express + `stripe` + one MariaDB insert",
    { DATABASE_URL: `${mysqlServer}/${databaseName}` },
    "mysql",
  ),
  ours(
    "postern-postgresql",
    "**Postern**, PostgreSQL, takes only",
    { DATABASE_URL: new URL(`/${databaseName}`, postgresServer).href, POSTERN_ROLE: "http" },
    "postgres",
  ),
];

const start = ({ name, command, environment }: Contender) =>
  startServer(directory, { name, command, environment: { SECRET: secret, ...environment } });

interface Measured extends Result {
  /**
   * Processor time of the server for each event, over all its threads. Other work on the machine
   * does not affect it.
   */
  readonly cpuMicros: number;
}

/**
 * Processor time that a process has used, in microseconds. Linux counts in hundredths of a second.
 */
const cpuOf = (pid: number | undefined): number => {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /, "")
      .split(" ");
    return (Number(fields[11]) + Number(fields[12])) * 10_000;
  } catch {
    return Number.NaN;
  }
};

const measure = async (contender: Contender): Promise<Measured> => {
  const { url, child } = await start(contender);
  try {
    const load = { url, secret, connections: 64, bodyBytes: 1024, measureMs: seconds * 1000 };
    const deliveries = deliveriesFor(url, 200_000, load);
    let sent = 0;
    const next = (): Buffer => {
      sent += 1;
      return deliveries[sent % deliveries.length] as Buffer;
    };
    await run({ ...load, measureMs: warmUpMs }, next);
    const before = cpuOf(child.pid);
    const result = await run(load, next);
    return { ...result, cpuMicros: (cpuOf(child.pid) - before) / result.answered };
  } finally {
    child.kill("SIGTERM");
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  }
};

const redis = async (): Promise<() => Promise<void>> => {
  const args = [
    "--port",
    String(redisPort),
    "--dir",
    directory,
    "--appendonly",
    "yes",
    "--appendfsync",
    "always",
    "--save",
    "",
  ];
  const child = spawn("redis-server", args, { stdio: "ignore" });
  await new Promise((resolve) => setTimeout(resolve, 700));
  return async () => {
    child.kill("SIGTERM");
    if (child.exitCode === null) await once(child, "exit");
  };
};

const has = (program: string): boolean => {
  try {
    execFileSync(program, ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
};

const ofStorage = createRequire(new URL("../../packages/storage-knex/package.json", import.meta.url));
const statement = async (server: "mysql" | "postgres", sql: string): Promise<boolean> => {
  try {
    const connection =
      server === "mysql"
        ? await ofStorage("mysql2/promise").createConnection(mysqlServer)
        : new (ofStorage("pg").Client)(postgresServer);
    if (server === "postgres") await connection.connect();
    await connection.query(sql);
    await connection.end();
    return true;
  } catch {
    return false;
  }
};

const missing = async ({ needs }: Contender): Promise<string | undefined> => {
  const rivals = existsSync(here("./rivals/node_modules/express"));
  if ((needs === "rivals" || needs === "redis") && !rivals) return "npm install --prefix benchmarks/inbox/rivals";
  if (needs === "redis" && !has("redis-server")) return "redis-server is not installed";
  if (needs === "mysql" && !(await statement(needs, `CREATE DATABASE IF NOT EXISTS ${databaseName}`)))
    return "no MariaDB answers";
  if (needs === "postgres" && !(await statement(needs, `CREATE DATABASE ${databaseName}`)))
    return "no PostgreSQL answers";
  return undefined;
};

const table: string[] = [
  "| receiver | events/s | of bare `node:http` | times Express + SQLite | p50 ms | p99 ms | CPU µs | of bare, by CPU |",
  "|---|---:|---:|---:|---:|---:|---:|---:|",
];
const results = new Map<string, Measured>();
const stopRedis =
  has("redis-server") && (only === undefined || only.includes("express-bullmq")) ? await redis() : undefined;
try {
  for (const contender of contenders) {
    if (only !== undefined && !only.includes(contender.name)) continue;
    const why = await missing(contender);
    if (why !== undefined) {
      console.error(`${contender.name}: left out (${why})`);
      continue;
    }
    const result = await measure(contender);
    results.set(contender.name, result);
    console.error(
      `${contender.name}: ${Math.round(result.perSecond)}/s, p50 ${result.p50.toFixed(1)}, p99 ${result.p99.toFixed(1)}, refused ${result.refused}, cpu ${result.cpuMicros.toFixed(0)} µs`,
    );
  }
} finally {
  await stopRedis?.();
  await statement("mysql", `DROP DATABASE IF EXISTS ${databaseName}`);
  await statement("postgres", `DROP DATABASE IF EXISTS ${databaseName} WITH (FORCE)`);
  rmSync(directory, { recursive: true, force: true });
}

const base = results.get("bare")?.perSecond ?? Number.NaN;
const baseCpu = results.get("bare")?.cpuMicros ?? Number.NaN;
const usual = results.get("express-sqlite")?.perSecond ?? Number.NaN;
const shown = (value: number, digits: number): string => (Number.isNaN(value) ? "–" : value.toFixed(digits));
for (const { name, title } of contenders) {
  const result = results.get(name);
  if (result === undefined) continue;
  const { perSecond, p50, p99, cpuMicros } = result;
  table.push(
    `| ${title} | ${Math.round(perSecond)} | ${shown(perSecond / base, 2)} | ${shown(perSecond / usual, 1)} | ${shown(p50, 1)} | ${shown(p99, 1)} | ${shown(cpuMicros, 0)} | ${shown(baseCpu / cpuMicros, 2)} |`,
  );
}
const text = `Node ${process.versions.node}, ${new Date().toISOString().slice(0, 10)}, 64 connections, bodies of 1 KiB, ${seconds} s each after ${warmUpMs / 1000} s of warm-up, server on one core.\n\n${table.join("\n")}`;
console.log(text);
if (process.argv.includes("--readme")) {
  const readme = here("./README.md");
  const before = readFileSync(readme, "utf8");
  writeFileSync(
    readme,
    before.replace(/<!-- figures -->[\s\S]*<!-- \/figures -->/, `<!-- figures -->\n${text}\n<!-- /figures -->`),
  );
}
