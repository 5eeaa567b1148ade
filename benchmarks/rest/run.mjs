/**
 * Postern beside a hand-written Koa + Knex app, a hand-written Fastify + better-sqlite3 app and
 * bare node:http, in one run; see README.md. `node --import tsx benchmarks/rest/run.mjs seed` once,
 * then with `taskset -c 1` before it the same with `[--readme] [--only=postern-sqlite3,…] [--seconds=2]`,
 * and with `listeners [--readme]`.
 */
import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import jwt from "jsonwebtoken";
import { workingDrivers } from "../sqlite-drivers.ts";
import { callers, secret, userId } from "./data.mjs";
import { measure, postern, start } from "./load.mjs";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const directory = join(tmpdir(), "postern-benchmark-rest");
const file = (name) => join(directory, `${name}.db`);
const seeder = ["--conditions=@postern/source", "--import", "tsx", here("postern.ts")];
const settings = {
  DATABASE_URL: `sqlite:${file("postern")}`,
  POSTERN_SECRET_KEY: Buffer.alloc(32, 7).toString("base64"),
  POSTERN_RATE_LIMIT: "off",
  POSTERN_LOG_FORMAT: "json",
};

const drivers = await workingDrivers();
/** The database of the whole server on this driver. */
const onDriver = (driver) => `postern-${driver.replace(":", "-")}`;

const seed = async () => {
  const { makeDatabase } = await import("./rivals/schema.mjs");
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory);
  const tokens = execFileSync(process.execPath, [...seeder], {
    cwd: here("../.."),
    env: { ...process.env, ...settings, LOG_LEVEL: "error" },
  });
  writeFileSync(join(directory, "tokens.json"), tokens);
  for (const copy of ["postern-koa", "postern-node", "postern-koa-again", ...drivers.map(onDriver)]) {
    copyFileSync(file("postern"), file(copy));
    // The log stays behind where a connection that only reads was the last to close.
    if (existsSync(`${file("postern")}-wal`)) copyFileSync(`${file("postern")}-wal`, `${file(copy)}-wal`);
  }
  for (const rival of ["koa-knex", "fastify"]) makeDatabase(file(rival));
};

const option = (name) => process.argv.find((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3);

const contenders = () => {
  const signed = Array.from({ length: callers }, (_, n) => jwt.sign({ sub: userId(n) }, secret, { expiresIn: "1d" }));
  const ours = ourTokens();
  const rival = (name, title, script, database) => ({
    name,
    title,
    command: [here(`rivals/${script}.mjs`), ...(database === undefined ? [] : [file(database)])],
    base: database === undefined ? undefined : "",
    tokens: signed,
  });
  return [
    rival("bare", "bare `node:http`, the limit", "bare", undefined),
    rival("bare-koa", "bare Koa and its router, the limit through Koa", "bare-koa", undefined),
    rival("fastify", "Fastify 5 + better-sqlite3, prepared", "fastify-better-sqlite3", "fastify"),
    ...drivers.map((driver) => ({
      name: onDriver(driver),
      title: `**Postern**, the whole server (through Koa), \`${driver}\``,
      command: [postern],
      base: "/api/v2",
      tokens: ours,
      environment: { ...settings, DATABASE_URL: `sqlite:${file(onDriver(driver))}?driver=${driver}` },
    })),
    through("koa"),
    through("node"),
    rival("koa-knex", "Koa + Knex + sqlite3, as people write it", "koa-knex", "koa-knex"),
  ];
};

const ourTokens = () => JSON.parse(readFileSync(join(directory, "tokens.json"), "utf8"));

const through = (listener, database = `postern-${listener}`) => ({
  name: database,
  title: `**Postern** through ${listener === "koa" ? "Koa" : "`http/node`"}, the listener the only difference`,
  command: [here("through.mjs"), listener],
  base: "/api/v2",
  tokens: ourTokens(),
  environment: { ...settings, DATABASE_URL: `sqlite:${file(database)}` },
});

const kinds = { read: "GET by id", list: "list of 25, 3 `fields`", create: "POST" };

const rounds = 4;

/** Starts the servers of contenders, calls `use` with them, and stops them. */
const withServers = async (these, use) => {
  const started = [];
  try {
    for (const contender of these) {
      const port = 20_000 + (process.pid % 12_000) + started.length;
      const server = await start(contender.command, { ...contender.environment, PORT: String(port) });
      started.push({ ...contender, server, origin: `http://127.0.0.1:${port}`, figures: {} });
    }
    await use(started);
  } finally {
    for (const { server } of started) await server.stop();
  }
  return started;
};

/** Measures all contenders in turns of a few seconds, so that a disturbance affects all of them. */
const run = () => {
  const length = { duration: Number(option("seconds") ?? 2) };
  const only = option("only")?.split(",");
  const these = contenders().filter(({ name }) => only?.includes(name) ?? true);
  return withServers(these, async (started) => {
    for (const kind of Object.keys(kinds)) {
      for (const contender of started) {
        await measure(contender, kind, length);
        contender.figures[kind] = { perSecond: 0, p99: 0, answered: 0, used: 0 };
      }
      for (let round = 0; round < rounds; round += 1) {
        for (const { server, figures, ...contender } of started) {
          const before = server.processorMicroseconds();
          const { perSecond, p99, answered } = await measure(contender, kind, length);
          const sum = figures[kind];
          sum.perSecond += perSecond / rounds;
          sum.p99 += p99 / rounds;
          sum.answered += answered;
          sum.used += server.processorMicroseconds() - before;
        }
      }
    }
  });
};

/** Turns of `listeners`, and the requests of each. */
const shortTurns = 24;
const inShortTurn = { amount: 2_000 };

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

/**
 * What Koa costs in processor time: one server through `http/node` and two through Koa take short
 * turns, in both orders. The two show how far equal servers differ.
 */
const listeners = async () => {
  const these = [through("node"), through("koa"), through("koa", "postern-koa-again")];
  const used = {};
  await withServers(these, async (started) => {
    for (const kind of Object.keys(kinds)) {
      used[kind] = started.map(() => []);
      for (let turn = -2; turn < shortTurns; turn += 1) {
        const order = [...started.entries()];
        for (const [index, contender] of turn % 2 === 0 ? order : order.toReversed()) {
          const before = contender.server.processorMicroseconds();
          const { answered } = await measure(contender, kind, inShortTurn);
          const each = (contender.server.processorMicroseconds() - before) / answered;
          // The first turns run code that is not compiled yet.
          if (turn >= 0) used[kind][index].push(each);
        }
      }
    }
  });
  const node = 0;
  const cell = (kind, index) => {
    const ratio = median(used[kind][index].map((each, turn) => each / used[kind][node][turn]));
    return `${median(used[kind][index]).toFixed(0)} µs${index === node ? "" : ` (${ratio.toFixed(2)})`}`;
  };
  const row = (title, index) =>
    `| ${title} | ${Object.keys(kinds)
      .map((kind) => cell(kind, index))
      .join(" | ")} |`;
  return [
    `Node ${process.versions.node}, ${new Date().toISOString().slice(0, 10)}. Processor time for a request, medians of ${shortTurns} turns of ${inShortTurn.amount} requests, and of the ratios to \`http/node\` in the same turn.`,
    "",
    `| | ${Object.values(kinds).join(" | ")} |`,
    "|---|---:|---:|---:|",
    row("through `http/node`", node),
    row("through Koa", 1),
    row("through Koa, a second server", 2),
  ].join("\n");
};

const table = (results) => {
  const ours = ["postern-koa", "postern-node"].flatMap((name) => results.find((result) => result.name === name) ?? []);
  const cell = (figures, kind) => {
    const { perSecond, p99, answered, used } = figures[kind];
    const ratios = ours.map((one) => ` · ${(one.figures[kind].perSecond / perSecond).toFixed(2)}`).join("");
    return `${Math.round(perSecond).toLocaleString("en")} (${Math.round(p99)} ms, ${Math.round(used / answered)} µs)${ratios}`;
  };
  const rows = results.map(
    ({ title, figures }) =>
      `| ${title} | ${Object.keys(kinds)
        .map((kind) => cell(figures, kind))
        .join(" | ")} |`,
  );
  return [
    `Node ${process.versions.node}, ${new Date().toISOString().slice(0, 10)}. Requests per second (99 in 100 answered within, processor time of the server for each) · Postern's share of it through Koa · and through \`http/node\`.`,
    "",
    `| | ${Object.values(kinds).join(" | ")} |`,
    "|---|---:|---:|---:|",
    ...rows,
  ].join("\n");
};

const show = (mark, figures) => {
  console.log(figures);
  if (!process.argv.includes("--readme")) return;
  const readme = here("README.md");
  const [before] = readFileSync(readme, "utf8").split(`<!-- ${mark} -->`);
  const [, after] = readFileSync(readme, "utf8").split(`<!-- /${mark} -->`);
  writeFileSync(readme, `${before}<!-- ${mark} -->\n${figures}\n<!-- /${mark} -->${after}`);
};

if (process.argv[2] === "seed") await seed();
else if (process.argv[2] === "listeners") show("listeners", await listeners());
else show("rest", table(await run()));
