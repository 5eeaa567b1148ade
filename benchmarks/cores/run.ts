/**
 * Measures what further processes bring: the server on MariaDB or MySQL with `POSTERN_PROCESSES` of
 * 1 and more, on as many cores. `node --conditions=@postern/source --import tsx
 * benchmarks/cores/run.ts [--seconds 5] [--readme]`
 */
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { cpus } from "node:os";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { deliveriesFor, run } from "../inbox/load.ts";
import { option } from "../inbox/measured-server.ts";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const databases = process.env.POSTERN_TEST_MYSQL_URL ?? "mysql://root@127.0.0.1:3306";
const seconds = Number(option("--seconds") ?? 5);
const secret = "whsec_benchmark_secret_of_a_good_length";
const account = { name: "Ada", email: "ada@example.com", password: "correct horse battery staple" };
const rounds = 3;

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

const postJson = async (url: string, body: unknown): Promise<{ readonly access_token?: string }> => {
  const headers = { "content-type": "application/json" };
  const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as { readonly access_token?: string };
};

/** The server's own driver. */
const mysql: {
  createConnection(url: string): Promise<{ query(sql: string): Promise<unknown>; end(): Promise<void> }>;
} = createRequire(here("../../apps/server/package.json"))("mysql2/promise");

const statement = async (sql: string): Promise<void> => {
  const connection = await mysql.createConnection(databases);
  await connection.query(sql);
  await connection.end();
};

/** Requests per second of both kinds, with this many processes. */
const measure = async (processes: number) => {
  const name = `postern_cores_${randomBytes(4).toString("hex")}`;
  await statement(`CREATE DATABASE ${name}`);
  const child = spawn(
    "taskset",
    ["-c", `0-${processes - 1}`, process.execPath, here("../../apps/server/dist/main.js")],
    {
      env: {
        PATH: process.env.PATH,
        DATABASE_URL: `${databases.replace(/\/$/, "")}/${name}`,
        POSTERN_SECRET_KEY: Buffer.alloc(32, 7).toString("base64"),
        POSTERN_PROCESSES: String(processes),
        POSTERN_ROLE: "http",
        POSTERN_RATE_LIMIT: "off",
        POSTERN_LOG_FORMAT: "json",
        WEBHOOK_STRIPE_SECRET: secret,
        PORT: "0",
      },
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  try {
    const url = await new Promise<string>((resolve, reject) => {
      child.once("exit", (code) => reject(new Error(`the server ended with ${code}`)));
      createInterface({ input: child.stdout }).on("line", (line) => {
        if (line.includes('"msg":"started"')) resolve(JSON.parse(line).url);
      });
    });
    await postJson(`${url}/api/v2/users`, account);
    const { access_token: token } = await postJson(`${url}/api/v2/sessions`, {
      email: account.email,
      password: account.password,
    });
    const read = Buffer.from(
      `GET /api/v2/users/me HTTP/1.1\r\nhost: ${new URL(url).host}\r\nauthorization: Bearer ${token}\r\n\r\n`,
    );
    const load = { url, secret, connections: 64, bodyBytes: 1024 };
    const deliveries = deliveriesFor(url, 60_000, load);
    let at = 0;
    const next = (): Buffer => deliveries[at++ % deliveries.length] ?? read;
    await run({ ...load, measureMs: 2_000 }, next);
    await run({ ...load, measureMs: 1_000 }, () => read);
    const accepted = await run({ ...load, measureMs: seconds * 1_000 }, next);
    const reads = await run({ ...load, measureMs: seconds * 1_000 }, () => read);
    if (accepted.refused + reads.refused > 0) throw new Error("the server refused requests");
    return { accepted: accepted.perSecond, reads: reads.perSecond };
  } finally {
    child.removeAllListeners("exit");
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGTERM");
    await ended;
    await statement(`DROP DATABASE ${name}`);
  }
};

const counts = Array.from({ length: Math.min(cpus().length, 4) }, (_, index) => index + 1);
const results = new Map<number, { accepted: number; reads: number }[]>(counts.map((count) => [count, []]));
for (let round = 0; round < rounds; round += 1) {
  // They take turns, so that a disturbance affects all of them.
  for (const [count, list] of results) list.push(await measure(count));
}

const [, first = []] = [...results][0] ?? [];
const base = {
  accepted: median(first.map(({ accepted }) => accepted)),
  reads: median(first.map(({ reads }) => reads)),
};
const shown = (value: number, one: number): string =>
  `${Math.round(value).toLocaleString("en")} · ${(value / one).toFixed(2)}`;
const table = [
  `Node ${process.versions.node}, ${cpus().length} cores that server, database and load share, ${new Date().toISOString().slice(0, 10)}, medians of ${rounds} turns of ${seconds} s; requests per second · times one process.`,
  "",
  "| processes | webhooks accepted | `GET /users/me` |",
  "|---:|---:|---:|",
  ...Array.from(results, ([count, list]) => {
    const accepted = median(list.map((one) => one.accepted));
    const reads = median(list.map((one) => one.reads));
    return `| ${count} | ${shown(accepted, base.accepted)} | ${shown(reads, base.reads)} |`;
  }),
].join("\n");
process.stdout.write(`${table}\n`);
if (process.argv.includes("--readme")) {
  const file = here("./README.md");
  const text = readFileSync(file, "utf8");
  writeFileSync(
    file,
    text.replace(/<!-- cores -->[\s\S]*<!-- \/cores -->/, `<!-- cores -->\n${table}\n<!-- /cores -->`),
  );
}
