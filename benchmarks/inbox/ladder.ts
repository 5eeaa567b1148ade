import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { deliveriesFor, run } from "./load.ts";
import { option, pinLoad, startServer } from "./measured-server.ts";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const secret = "whsec_benchmark_secret_of_a_good_length";
const seconds = Number(option("--seconds") ?? 5);
const warmUpMs = 5_000;
const sampleMs = 2_000;
const only = option("--only")?.split(",");
const directory = mkdtempSync(join(tmpdir(), "postern-ladder-"));
pinLoad();

const titles: Readonly<Record<string, string>> = {
  bare: "bare `node:http`: Node alone",
  body: "… reads the body: Node alone",
  verified: "… verifies the signature",
  stored: "… stores one row, many in a commit",
  deduped: "… with an index that finds repeats",
  jobs: "… on our tables, with a row for the job",
  inbox: "… through the inbox: digest, payload parsed, headers kept",
  listener: "… through the listener: limits, routes, bounds",
  logged: "… with access log and metrics",
  server: "the whole server",
};

const commandOf = (name: string): readonly string[] =>
  name === "server"
    ? [here("../../apps/server/dist/main.js")]
    : ["--import", import.meta.resolve("tsx"), here("./rungs.ts"), name];

const start = (name: string) =>
  startServer(directory, {
    name,
    command: ["--import", new URL("./meter.mjs", import.meta.url).href, ...commandOf(name)],
    withMessages: true,
    environment: {
      SECRET: secret,
      PORT: "0",
      WEBHOOK_STRIPE_SECRET: secret,
      DATABASE_URL: `sqlite:${join(directory, `${name}.db`)}`,
      POSTERN_ROLE: "http",
      POSTERN_RATE_LIMIT: "off",
      POSTERN_LOG_FORMAT: "json",
      POSTERN_SECRET_KEY: Buffer.alloc(32, 7).toString("base64"),
    },
  });

/** Processor time of a thread in microseconds. Linux counts in hundredths of a second. */
const threadCpu = (pid: number, thread: string): number => {
  const fields = readFileSync(`/proc/${pid}/task/${thread}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10_000;
};

interface Usage {
  readonly main: number;
  readonly others: number;
  readonly written: number;
}

/**
 * What the server has used so far. `written` counts the bytes that it gave to the disk, its log
 * included.
 */
const usageOf = (pid: number): Usage => {
  const threads = readdirSync(`/proc/${pid}/task`);
  const main = threadCpu(pid, String(pid));
  const all = threads.reduce((sum, thread) => sum + threadCpu(pid, thread), 0);
  const written = /^write_bytes: (\d+)/m.exec(readFileSync(`/proc/${pid}/io`, "utf8"))?.[1];
  return { main, others: all - main, written: Number(written) };
};

const measure = async (name: string) => {
  const { url, child } = await start(name);
  const pid = child.pid ?? 0;
  try {
    const load = { url, secret, connections: 64, bodyBytes: 1024, randomIds: true };
    const deliveries = deliveriesFor(url, 150_000, load);
    let sent = 0;
    const next = (): Buffer => {
      sent += 1;
      return deliveries[sent % deliveries.length] as Buffer;
    };
    await run({ ...load, measureMs: warmUpMs }, next);
    const before = usageOf(pid);
    const result = await run({ ...load, measureMs: seconds * 1000 }, next);
    const after = usageOf(pid);
    child.send("allocations");
    await once(child, "message");
    const sampled = await run({ ...load, measureMs: sampleMs }, next);
    child.send("allocations");
    const [allocated] = await once(child, "message");
    if (result.refused > 0) throw new Error(`${name}: ${result.refused} deliveries were refused`);
    const each = (total: number): number => total / result.answered;
    return {
      perSecond: result.perSecond,
      p99: result.p99,
      mainMicros: each(after.main - before.main),
      otherMicros: each(after.others - before.others),
      written: each(after.written - before.written),
      allocated: Number(allocated) / sampled.answered,
    };
  } finally {
    child.kill("SIGTERM");
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  }
};

const lines = [
  "| rung | events/s | of bare | p99 ms | CPU µs, main thread | CPU µs, others | allocated, kB | written, kB |",
  "|---|---:|---:|---:|---:|---:|---:|---:|",
];
try {
  let bare = Number.NaN;
  for (const [name, title] of Object.entries(titles)) {
    if (only !== undefined && !only.includes(name)) continue;
    const { perSecond, p99, mainMicros, otherMicros, allocated, written } = await measure(name);
    if (name === "bare") bare = perSecond;
    const share = Number.isNaN(bare) ? "–" : (perSecond / bare).toFixed(2);
    const kilobytes = (bytes: number): string => (bytes / 1000).toFixed(1);
    lines.push(
      `| ${title} | ${Math.round(perSecond)} | ${share} | ${p99.toFixed(1)} | ${mainMicros.toFixed(0)} | ${otherMicros.toFixed(0)} | ${kilobytes(allocated)} | ${kilobytes(written)} |`,
    );
    console.error(lines.at(-1));
  }
} finally {
  rmSync(directory, { recursive: true, force: true });
}
const text = `Node ${process.versions.node}, ${new Date().toISOString().slice(0, 10)}, SQLite with \`synchronous=FULL\`, 64 connections, bodies of 1 KiB, random ids, ${seconds} s each after ${warmUpMs / 1000} s of warm-up, server on one core.\n\n${lines.join("\n")}`;
console.log(text);
if (process.argv.includes("--readme")) {
  const readme = here("./README.md");
  const before = readFileSync(readme, "utf8");
  writeFileSync(
    readme,
    before.replace(/<!-- ladder -->[\s\S]*<!-- \/ladder -->/, `<!-- ladder -->\n${text}\n<!-- /ladder -->`),
  );
}
