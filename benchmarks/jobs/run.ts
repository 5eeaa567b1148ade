import { readFileSync, writeFileSync } from "node:fs";
import { closedLoop, type Figures } from "./closed-loop.ts";
import { contenders } from "./contenders.ts";

// From the repository's root, after `pnpm install` in benchmarks/jobs and `pnpm build`:
//   node --import tsx benchmarks/jobs/run.ts [--only=postern] [--seconds=5] [--readme]
const option = (name: string): string | undefined =>
  process.argv.find((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3);

const seconds = Number(option("seconds") ?? 5);
const only = option("only");
const chosen = contenders.filter(({ name }) => only === undefined || name.toLowerCase().includes(only.toLowerCase()));
const loads = (option("loads") ?? "8,256").split(",").map(Number);

interface Row {
  readonly name: string;
  readonly settings: string;
  readonly waiting: number;
  readonly figures: Figures;
}

const rows: Row[] = [];
for (const waiting of loads) {
  for (const contender of chosen) {
    const figures = await closedLoop(contender, waiting, seconds);
    rows.push({ name: contender.name, settings: contender.settings, waiting, figures });
    process.stderr.write(
      `${contender.name}, ${waiting} waiting: ${Math.round(figures.jobsPerSecond)}/s, pickup ${figures.pickup.p50.toFixed(2)} / ${figures.pickup.p99.toFixed(2)} ms\n`,
    );
  }
}

/** How many times as fast as BullMQ it is: by jobs per second, and by processor time. */
const ratios = ({ waiting, figures }: Row): string => {
  const bullmq = rows.find((row) => row.name.startsWith("BullMQ") && row.waiting === waiting)?.figures;
  if (bullmq === undefined) return "– | –";
  const byRate = figures.jobsPerSecond / bullmq.jobsPerSecond;
  const byProcessorTime = bullmq.cpuMicrosecondsPerJob / figures.cpuMicrosecondsPerJob;
  return `${byRate.toFixed(2)} | ${byProcessorTime.toFixed(2)}`;
};
const table = [
  `Node ${process.versions.node}, ${new Date().toISOString().slice(0, 10)}, one run, ${seconds} s each, producer and worker in one process.`,
  "",
  "| queue | durability | waiting | jobs/s | times BullMQ | by CPU | CPU µs/job | pickup p50 | p99 ms |",
  "|---|---|---:|---:|---:|---:|---:|---:|---:|",
  ...rows.map(
    (row) =>
      `| ${row.name} | ${row.settings} | ${row.waiting} | ${Math.round(row.figures.jobsPerSecond)} | ${ratios(row)} | ${Math.round(row.figures.cpuMicrosecondsPerJob)} | ${row.figures.pickup.p50.toFixed(2)} | ${row.figures.pickup.p99.toFixed(2)} |`,
  ),
].join("\n");
process.stdout.write(`${table}\n`);
if (process.argv.includes("--readme")) {
  const file = new URL("README.md", import.meta.url);
  const text = readFileSync(file, "utf8");
  // The Node that runs this decides which contenders there are, so each table has a place of its
  // own.
  const place = contenders.some(({ name }) => name.startsWith("Sidequest")) ? "figures of a newer Node" : "figures";
  const [before = "", rest = ""] = text.split(`<!-- ${place} -->`);
  const [, after = ""] = rest.split(`<!-- /${place} -->`);
  writeFileSync(file, `${before}<!-- ${place} -->\n${table}\n<!-- /${place} -->${after}`);
}
process.exit(0);
