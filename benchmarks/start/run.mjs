/**
 * How long a start takes and what it weighs, and whether memory stays flat under load; see
 * README.md. After `node scripts/run.mjs bundle`: `node benchmarks/start/run.mjs [--readme]
 * [--starts=15]` and `node benchmarks/start/run.mjs load [--readme] [--events=100000]`.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const option = (name, unless) =>
  Number(process.argv.find((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3) ?? unless);
const stripeSecret = "whsec_c3RhcnQtc3RhcnQtc3RhcnQ=";
const contenders = [
  { title: "bare `node:http`", script: here("bare.mjs") },
  { title: "Koa + Knex + sqlite3, one table, one route", script: here("koa-knex.mjs") },
  { title: "**Postern** on SQLite", script: here("../../apps/server/dist/main.js") },
];

const freePort = async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
};

const agent = new Agent({ keepAlive: true, maxSockets: 32 });
const call = (port, path, { method = "GET", headers = {}, body } = {}) =>
  new Promise((resolve, reject) => {
    const sent = request({ port, host: "127.0.0.1", path, method, headers, agent }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk) => {
        text += chunk;
      });
      response.on("end", () => resolve({ status: response.statusCode, text }));
    });
    sent.on("error", reject);
    sent.end(body);
  });

/** Figures of a live process, by Linux: resident memory in MB, and processor time so far in ms. */
const costOf = (pid) => {
  const memory = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]) / 1024;
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
  return { memory, processor: (Number(fields[11]) + Number(fields[12])) * 10 };
};

/** Starts a script and waits for the first request that it answers. */
const start = async (script, directory) => {
  const port = await freePort();
  const environment = {
    ...process.env,
    PORT: String(port),
    DATABASE_URL: `sqlite:${join(directory, "start.db")}`,
    LOG_LEVEL: "warn",
    POSTERN_LOG_FORMAT: "json",
    POSTERN_RATE_LIMIT: "off",
    WEBHOOK_STRIPE_SECRET: stripeSecret,
  };
  const from = performance.now();
  const child = spawn(process.execPath, [script], { env: environment, stdio: ["ignore", "ignore", "inherit"] });
  for (;;) {
    const answer = await call(port, "/health/live").catch(() => undefined);
    if (answer !== undefined) break;
    if (child.exitCode !== null) throw new Error(`${script} ended`);
    await wait(2);
  }
  const ms = performance.now() - from;
  const stop = async () => {
    child.kill("SIGTERM");
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  };
  return { ms, port, pid: child.pid, ...costOf(child.pid), stop };
};

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

/**
 * All take turns, so that a disturbance affects all of them. The first start of each is left out,
 * because it makes the database and keeps the compiled code.
 */
const starts = async () => {
  const times = option("starts", 15);
  const directories = contenders.map(() => mkdtempSync(join(tmpdir(), "postern-start-")));
  const found = contenders.map(() => []);
  try {
    for (let turn = 0; turn <= times; turn += 1) {
      for (const [index, { script }] of contenders.entries()) {
        const { stop, ...figures } = await start(script, directories[index]);
        // The server keeps its compiled code two seconds after its first start.
        if (turn === 0) await wait(3_000);
        await stop();
        if (turn > 0) found[index].push(figures);
      }
    }
  } finally {
    for (const directory of directories) rmSync(directory, { recursive: true, force: true });
  }
  const of = (index, name) => median(found[index].map((figures) => figures[name]));
  const cell = (index, name) => `${Math.round(of(index, name))} · ${(of(index, name) / of(0, name)).toFixed(1)}`;
  return [
    `Node ${process.versions.node}, ${new Date().toISOString().slice(0, 10)}, medians of ${times} starts · times bare Node.`,
    "",
    "| | to the first answer, ms | processor time, ms | resident memory, MB |",
    "|---|---:|---:|---:|",
    ...contenders.map(
      ({ title }, index) =>
        `| ${title} | ${cell(index, "ms")} | ${cell(index, "processor")} | ${cell(index, "memory")} |`,
    ),
  ].join("\n");
};

const load = async () => {
  const events = option("events", 100_000);
  const { sign } = await import(new URL("../../packages/webhook-verifier/dist/index.js", import.meta.url).href);
  const { stripe } = await import(
    new URL("../../packages/webhook-verifier/dist/schemes/stripe.js", import.meta.url).href
  );
  const directory = mkdtempSync(join(tmpdir(), "postern-start-"));
  const server = await start(contenders[2].script, directory);
  const json = { "content-type": "application/json" };
  const rows = [["at start", server.memory]];
  try {
    const credentials = { email: "ada@example.com", password: "correct horse battery" };
    const user = JSON.stringify({ name: "Ada", ...credentials });
    await call(server.port, "/api/v2/users", { method: "POST", headers: json, body: user });
    const signedIn = () =>
      call(server.port, "/api/v2/sessions", { method: "POST", headers: json, body: JSON.stringify(credentials) });
    const step = events / 10;
    for (let sent = 0; sent < events; sent += step) {
      const authorization = `Bearer ${JSON.parse((await signedIn()).text).access_token}`;
      let next = sent;
      const lane = async () => {
        for (let n = next++; n < sent + step; n = next++) {
          const body = JSON.stringify({
            id: `evt_${n}`,
            object: "event",
            type: "invoice.paid",
            data: { object: { n } },
          });
          const headers = { ...json, ...(await sign(stripe, { keys: stripeSecret, body })) };
          const { status } = await call(server.port, "/api/webhooks/stripe", { method: "POST", headers, body });
          const read = await call(server.port, "/api/v2/users/me", { headers: { authorization } });
          if (status !== 200 || read.status !== 200) throw new Error(`answered ${status} and ${read.status}`);
        }
      };
      await Promise.all(Array.from({ length: 32 }, lane));
      rows.push([`after ${(sent + step).toLocaleString("en")} of each`, costOf(server.pid).memory]);
      process.stderr.write(`${rows.at(-1).join(": ")}\n`);
    }
  } finally {
    await server.stop();
    rmSync(directory, { recursive: true, force: true });
  }
  return [
    `Node ${process.versions.node}, ${new Date().toISOString().slice(0, 10)}, 32 connections.`,
    "",
    "| events and reads | resident memory, MB |",
    "|---|---:|",
    ...rows.map(([when, memory]) => `| ${when} | ${Math.round(memory)} |`),
  ].join("\n");
};

const part = process.argv[2] === "load" ? "load" : "start";
const figures = await (part === "load" ? load() : starts());
console.log(figures);
if (process.argv.includes("--readme")) {
  const readme = here("README.md");
  const text = readFileSync(readme, "utf8");
  const [before] = text.split(`<!-- ${part} -->`);
  const [, after] = text.split(`<!-- /${part} -->`);
  writeFileSync(readme, `${before}<!-- ${part} -->\n${figures}\n<!-- /${part} -->${after}`);
}
agent.destroy();
