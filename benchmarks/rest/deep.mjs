/**
 * Measures what a page costs by the size of the table and by its depth. It reads lists of one
 * user's posts, 1,000 to 1,000,000 of them, page 1 beside page 10,000 (or the last). `taskset -c 1
 * node benchmarks/rest/deep.mjs [--readme]`. It makes the tables first, which takes most of the
 * time.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import Sqlite from "better-sqlite3";
import { userId } from "./data.mjs";
import { postern, start } from "./load.mjs";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const directory = join(tmpdir(), "postern-benchmark-deep");
const seeder = ["--conditions=@postern/source", "--import", "tsx", here("postern.ts")];
const sizes = [1_000, 10_000, 100_000, 1_000_000];
const orders = ["id", "-created_at", "title"];
const limit = 100;
const rounds = 200;

/** Posts of the one user, a millisecond apart, ten of each title. */
const fill = (file, count) => {
  const db = new Sqlite(file);
  db.exec("PRAGMA synchronous = OFF");
  db.prepare(
    `INSERT INTO posts (id, revision, user_id, title, body, status, published_at, created_at, updated_at)
     WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ?)
     SELECT printf('01900000-0000-7000-8000-2%011x', n), 1, ?, printf('Title %06d', n / 10), 'Some words.', 'draft', NULL,
       strftime('%Y-%m-%dT%H:%M:%fZ', 1767225600 + n / 1000.0, 'unixepoch'), '2026-01-01T00:00:00.000Z' FROM n`,
  ).run(count, userId(0));
  db.exec("ANALYZE");
  db.close();
};

const median = (times) => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)];

/**
 * Milliseconds that each page takes. Pages take turns, so that a disturbance affects all of them.
 */
const timed = async (urls, headers) => {
  const times = urls.map(() => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, url] of urls.entries()) {
      const from = performance.now();
      const { data } = await (await fetch(url, { headers })).json();
      if (data.length !== limit) throw new Error(`${url} answered ${data.length} rows`);
      times[index].push(performance.now() - from);
    }
  }
  return times.map(median);
};

/** A cursor of the page at this depth. The only way to get it is to walk there. */
const walk = async (list, headers, pages) => {
  let cursor;
  for (let page = 1; page < pages; page += 1) {
    const url = cursor === undefined ? list : `${list}&cursor=${cursor}`;
    cursor = (await (await fetch(url, { headers })).json()).page.next_cursor;
  }
  return cursor;
};

rmSync(directory, { recursive: true, force: true });
mkdirSync(directory);
const rows = [];
for (const size of sizes) {
  const file = join(directory, `${size}.db`);
  const environment = {
    DATABASE_URL: `sqlite:${file}`,
    POSTERN_SECRET_KEY: Buffer.alloc(32, 7).toString("base64"),
    POSTERN_RATE_LIMIT: "off",
    LOG_LEVEL: "info",
    POSTERN_LOG_FORMAT: "json",
  };
  const [token] = JSON.parse(
    execFileSync(process.execPath, [...seeder, "callers"], {
      cwd: here("../.."),
      env: { ...process.env, ...environment, LOG_LEVEL: "error" },
    }),
  );
  fill(file, size);
  const port = 41_000 + (process.pid % 10_000);
  const server = await start([postern], { ...environment, PORT: String(port) });
  const headers = { authorization: `Bearer ${token}` };
  const cells = [];
  const depth = Math.min(size / limit, 10_000);
  for (const order of orders) {
    const list = `http://127.0.0.1:${port}/api/v2/users/me/posts?limit=${limit}&fields=title&sort=${order}`;
    await timed([list], headers);
    const cursor = await walk(list, headers, depth);
    const [first, deep] = await timed([list, `${list}&cursor=${cursor}`], headers);
    cells.push(`${first.toFixed(2)} · ${deep.toFixed(2)} · ${(deep / first).toFixed(2)}`);
  }
  await server.stop();
  rows.push(`| ${size.toLocaleString("en")} | ${depth.toLocaleString("en")} | ${cells.join(" | ")} |`);
  process.stderr.write(`${rows.at(-1)}\n`);
}
rmSync(directory, { recursive: true, force: true });

const table = [
  `Node ${process.versions.node}, ${new Date().toISOString().slice(0, 10)}. Milliseconds for a page of ${limit}, one request after the other, medians of ${rounds}: page 1 · deep page · ratio.`,
  "",
  `| rows | deep page | ${orders.map((order) => `\`sort=${order}\``).join(" | ")} |`,
  "|---:|---:|---:|---:|---:|",
  ...rows,
].join("\n");
console.log(table);
if (process.argv.includes("--readme")) {
  const readme = here("README.md");
  const [before] = readFileSync(readme, "utf8").split("<!-- deep -->");
  const [, after] = readFileSync(readme, "utf8").split("<!-- /deep -->");
  writeFileSync(readme, `${before}<!-- deep -->\n${table}\n<!-- /deep -->${after}`);
}
