/**
 * Postern beside a hand-written Koa + Knex app, a hand-written Fastify + better-sqlite3 app and bare node:http, in one run; see README.md.
 * `node benchmarks/rest/run.mjs seed` once, then `taskset -c 1 node benchmarks/rest/run.mjs [--readme] [--only=postern,…] [--seconds=6]`.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import jwt from "jsonwebtoken";
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

const seed = async () => {
  const { makeDatabase } = await import("./rivals/schema.mjs");
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory);
  const tokens = execFileSync(process.execPath, [...seeder], {
    cwd: here("../.."),
    env: { ...process.env, ...settings, LOG_LEVEL: "error" },
  });
  writeFileSync(join(directory, "tokens.json"), tokens);
  for (const rival of ["koa-knex", "fastify"]) makeDatabase(file(rival));
};

const option = (name) => process.argv.find((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3);

const contenders = () => {
  const signed = Array.from({ length: callers }, (_, n) => jwt.sign({ sub: userId(n) }, secret, { expiresIn: "1d" }));
  const ours = JSON.parse(readFileSync(join(directory, "tokens.json"), "utf8"));
  const rival = (name, title, script, database) => ({
    name,
    title,
    command: [here(`rivals/${script}.mjs`), ...(database === undefined ? [] : [file(database)])],
    base: database === undefined ? undefined : "",
    tokens: signed,
  });
  return [
    rival("bare", "bare `node:http`, the limit", "bare", undefined),
    rival("fastify", "Fastify 5 + better-sqlite3, prepared", "fastify-better-sqlite3", "fastify"),
    {
      name: "postern",
      title: "**Postern** (Koa adapter, sqlite3)",
      command: [postern],
      base: "/api/v2",
      tokens: ours,
      environment: settings,
    },
    rival("koa-knex", "Koa + Knex + sqlite3, as people write it", "koa-knex", "koa-knex"),
  ];
};

const kinds = { read: "GET by id", list: "list of 25, 3 `fields`", create: "POST" };

const run = async () => {
  const seconds = Number(option("seconds") ?? 6);
  const only = option("only")?.split(",");
  const results = [];
  for (const [index, contender] of contenders()
    .filter(({ name }) => only?.includes(name) ?? true)
    .entries()) {
    const port = 20_000 + (process.pid % 20_000) + index;
    const server = await start(contender.command, { ...contender.environment, PORT: String(port) });
    const figures = {};
    try {
      for (const kind of Object.keys(kinds)) {
        const target = { ...contender, origin: `http://127.0.0.1:${port}` };
        await measure(target, kind, 2);
        const before = server.processorMicroseconds();
        figures[kind] = await measure(target, kind, seconds);
        figures[kind].eachCosts = (server.processorMicroseconds() - before) / figures[kind].answered;
      }
    } finally {
      await server.stop();
    }
    results.push({ ...contender, figures });
    process.stderr.write(
      `${contender.name} ${Object.values(figures)
        .map(({ perSecond }) => Math.round(perSecond))
        .join(" ")}\n`,
    );
  }
  return results;
};

const table = (results) => {
  const ours = results.find(({ name }) => name === "postern");
  const cell = (figures, kind) => {
    const { perSecond, p99, eachCosts } = figures[kind];
    const ratio = ours === undefined ? "" : ` · ${(ours.figures[kind].perSecond / perSecond).toFixed(2)}`;
    return `${Math.round(perSecond).toLocaleString("en")} (${p99} ms, ${Math.round(eachCosts)} µs)${ratio}`;
  };
  const rows = results.map(
    ({ title, figures }) =>
      `| ${title} | ${Object.keys(kinds)
        .map((kind) => cell(figures, kind))
        .join(" | ")} |`,
  );
  return [
    `Node ${process.versions.node}, ${new Date().toISOString().slice(0, 10)}. Requests per second (99 in 100 answered within, processor time of the server for each) · Postern's share of it.`,
    "",
    `| | ${Object.values(kinds).join(" | ")} |`,
    "|---|---:|---:|---:|",
    ...rows,
  ].join("\n");
};

if (process.argv[2] === "seed") await seed();
else {
  const figures = table(await run());
  console.log(figures);
  if (process.argv.includes("--readme")) {
    const readme = here("README.md");
    const [before] = readFileSync(readme, "utf8").split("<!-- rest -->");
    const [, after] = readFileSync(readme, "utf8").split("<!-- /rest -->");
    writeFileSync(readme, `${before}<!-- rest -->\n${figures}\n<!-- /rest -->${after}`);
  }
}
