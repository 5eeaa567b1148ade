/**
 * What storing an event costs the main thread, and all other threads, with each driver of SQLite:
 * commits of 64 events with their jobs, by the storage alone. From the root, after `node
 * scripts/run.mjs bundle`: `node --import tsx benchmarks/inbox/storage-cost.ts [--readme] [--commits
 * 1000]`. It needs Linux.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { resourcesOfParts } from "@postern/app";
import { workingDrivers } from "../sqlite-drivers.ts";
import { option } from "./measured-server.ts";
import { newEvent } from "./new-event.ts";

// As it is published: the names that tsx gives to functions take time.
const published = new URL("../../packages/storage-knex/dist/index.js", import.meta.url).href;
const { createKnexStorage }: typeof import("@postern/storage-knex") = await import(published);

const perCommit = 64;
const commits = Number(option("--commits") ?? 1000);
/** Commits before the measured ones, in which code is compiled. */
const warmUp = 500;
/** Microseconds of processor time of the main thread. Linux counts them in nanoseconds. */
const ofMainThread = (): number =>
  Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, "utf8").split(" ")[0]) / 1000;

interface Cost {
  readonly main: number;
  readonly others: number;
}

/** What an event costs with this driver, in a process that has used no other. */
const measure = async (driver: string): Promise<Cost> => {
  const directory = mkdtempSync(join(tmpdir(), "postern-storage-cost-"));
  const { storage, migrate, close } = createKnexStorage({
    url: `sqlite:${join(directory, "events.db")}?driver=${driver}`,
    guardNesting: false,
    parts: ["inbox"],
    resources: resourcesOfParts(["inbox"]),
  });
  try {
    await migrate.latest();
    const cost = { main: 0, others: 0 };
    for (let commit = 0; commit < warmUp + commits; commit += 1) {
      const events = Array.from({ length: perCommit }, () => newEvent());
      const before = process.cpuUsage();
      const mainBefore = ofMainThread();
      const outcomes = await storage.events.accept(events);
      const main = ofMainThread() - mainBefore;
      const { user, system } = process.cpuUsage(before);
      if (outcomes.some(({ outcome }) => outcome !== "accepted")) throw new Error("an event was not accepted");
      if (commit < warmUp) continue;
      cost.main += main;
      cost.others += user + system - main;
    }
    const events = commits * perCommit;
    return { main: cost.main / events, others: cost.others / events };
  } finally {
    await close();
    rmSync(directory, { recursive: true, force: true });
  }
};

const driver = option("--driver");
if (driver !== undefined) console.log(JSON.stringify(await measure(driver)));
else {
  const rows: string[] = [];
  for (const name of await workingDrivers()) {
    const args = [...process.execArgv, ...process.argv.slice(1), "--driver", name];
    const { main, others }: Cost = JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" }));
    rows.push(`| \`${name}\` | ${main.toFixed(1)} | ${others.toFixed(1)} |`);
    console.error(rows.at(-1));
  }
  const text = [
    `Node ${process.versions.node}, ${new Date().toISOString().slice(0, 10)}, ${commits.toLocaleString("en")} commits of ${perCommit} events with a job each, bodies of 1 KiB, random ids, \`synchronous=FULL\`.`,
    "",
    "| driver | CPU µs of the main thread for an event | of all other threads |",
    "|---|---:|---:|",
    ...rows,
  ].join("\n");
  console.log(text);
  if (process.argv.includes("--readme")) {
    const readme = fileURLToPath(new URL("./README.md", import.meta.url));
    const before = readFileSync(readme, "utf8");
    const figures = `<!-- storage -->\n${text}\n<!-- /storage -->`;
    writeFileSync(readme, before.replace(/<!-- storage -->[\s\S]*<!-- \/storage -->/, figures));
  }
}
