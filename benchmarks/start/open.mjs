/**
 * How long `openPostern` takes on a SQLite file that has all its tables, without what the import
 * takes; see README.md. After `pnpm build`: `node benchmarks/start/open.mjs [--times=15] [--readme]
 * [--check]`. With `--check` it exits with 1 above the goal.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const goalMs = 100;
const option = (name, unless) =>
  Number(process.argv.find((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3) ?? unless);
const times = option("times", 15);

/** Runs in a process of its own, because the second one in a process is much faster. */
const program = `
import { openPostern } from ${JSON.stringify(new URL("../../packages/postern/dist/index.js", import.meta.url).href)};
const [database, parts] = process.argv.slice(1);
const from = performance.now();
const before = process.cpuUsage();
const postern = await openPostern({
  database,
  providers: { stripe: "whsec_c3RhcnQtc3RhcnQtc3RhcnQ=" },
  ...(parts === "all" ? {} : { parts: [parts] }),
});
const { user, system } = process.cpuUsage(before);
process.stdout.write(JSON.stringify({ ms: performance.now() - from, processor: (user + system) / 1000 }));
await postern.stop();
`;

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

const folder = mkdtempSync(join(tmpdir(), "postern-open-"));
const rows = [];
try {
  for (const parts of ["all", "inbox"]) {
    const args = ["--input-type=module", "--eval", program, `sqlite:${join(folder, `${parts}.db`)}`, parts];
    const open = () => JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" }));
    // The first one makes the tables.
    open();
    const found = Array.from({ length: times }, open);
    const [ms, processor] = ["ms", "processor"].map((name) => found.map((figures) => figures[name]));
    rows.push({ parts, least: Math.min(...ms), ms: median(ms), processor: median(processor) });
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
const figures = [
  `Node ${process.versions.node}, ${new Date().toISOString().slice(0, 10)}, ${times} processes each.`,
  "",
  "| parts | shortest, ms | median, ms | processor time, median, ms |",
  "|---|---:|---:|---:|",
  ...rows.map(({ parts, ...row }) => `| ${[parts, ...Object.values(row).map(Math.round)].join(" | ")} |`),
].join("\n");
console.log(figures);
if (process.argv.includes("--readme")) {
  const readme = fileURLToPath(new URL("README.md", import.meta.url));
  const text = readFileSync(readme, "utf8");
  const [before] = text.split("<!-- open -->");
  const [, after] = text.split("<!-- /open -->");
  writeFileSync(readme, `${before}<!-- open -->\n${figures}\n<!-- /open -->${after}`);
}
// What else the machine does makes a run longer, never shorter.
if (process.argv.includes("--check") && rows.some(({ least }) => least > goalMs)) {
  console.error(`openPostern must take at most ${goalMs} ms.`);
  process.exitCode = 1;
}
