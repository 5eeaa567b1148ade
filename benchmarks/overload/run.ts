/**
 * Finds the highest throughput that the server has, then sends at twice that rate; see README.md.
 * `pnpm overload [--seconds=6] [--readme]`. `--senders` and `--connections` measure only busy senders
 * and what a connection and a waiting request cost.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { signUp } from "../siege/besiege.ts";
import { freshDatabase } from "../siege/database.ts";
import { attackAddresses } from "../siege/field.ts";
import { startServer } from "../siege/server.ts";
import { busySenders } from "./busy-senders.ts";
import { connectionCost } from "./connection-cost.ts";
import type { Measured, Order } from "./load.ts";
import { waitingCost } from "./waiting-cost.ts";

const option = (name: string): string | undefined =>
  process.argv.find((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3);

const load = async (order: Order): Promise<Measured> => {
  const child = fork(fileURLToPath(new URL("load.ts", import.meta.url)), {
    execArgv: ["--conditions=@postern/source", "--import", "tsx"],
  });
  await once(child, "message");
  child.send(order);
  const [measured] = await once(child, "message");
  return measured;
};

const at = (times: readonly number[], share: number): string =>
  times.length === 0
    ? "–"
    : String(Math.round(times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0));

/** A phase, with the processor seconds that the server used in it. */
interface Phase extends Measured {
  readonly cpu: number;
}

const perCpuSecond = ({ accepted, cpu }: Phase): number => accepted.length / cpu;

const row = (what: string, phase: Phase, best: Phase): string => {
  const { perSecond, sentPerSecond, accepted, refused, notSent } = phase;
  const share = (one: number, other: number): string =>
    `${Math.round(one).toLocaleString("en")} · ${(one / other).toFixed(2)}`;
  const columns = [
    what,
    Math.round(sentPerSecond).toLocaleString("en"),
    share(perSecond, best.perSecond),
    share(perCpuSecond(phase), perCpuSecond(best)),
    `${at(accepted, 0.5)} / ${at(accepted, 0.99)}`,
    refused.length.toLocaleString("en"),
    `${at(refused, 0.5)} / ${at(refused, 0.99)}`,
    notSent.toLocaleString("en"),
  ];
  return `| ${columns.join(" | ")} |`;
};

const run = async (): Promise<void> => {
  const seconds = Number(option("seconds") ?? 6);
  const database = await freshDatabase("sqlite");
  const server = await startServer({ database, memory: 512, environment: { POSTERN_RATE_LIMIT: "off" } });
  try {
    const { port } = server;
    const accounts = await Promise.all(attackAddresses.map((address, n) => signUp({ port }, `caller-${n}`, address)));
    const measure = async (order: Order): Promise<Phase> => {
      const before = server.cpuSeconds();
      const measured = await load(order);
      return { ...measured, cpu: server.cpuSeconds() - before };
    };
    const closed = { port, accounts, connectionsEach: 8, rate: 0 };
    await load({ ...closed, seconds: 2 });
    const best = await measure({ ...closed, seconds });
    const rate = 2 * best.perSecond;
    const over = await measure({ port, accounts, connectionsEach: 90, seconds, rate });
    const afterwards = await measure({ ...closed, seconds: 3 });
    const lines = [
      `Node ${process.versions.node}, ${new Date().toISOString().slice(0, 10)}, ${seconds} s each, peak memory ${Math.round(server.peakMemory())} MB.`,
      "",
      "| load | sent a second | answered 200 a second · of the best | a second of processor · of the best | p50 / p99 ms | refused | p50 / p99 ms | not sent |",
      "|---|---:|---:|---:|---:|---:|---:|---:|",
      row("64 connections, each as fast as it is answered", best, best),
      row("twice that rate, 720 connections", over, best),
      row("afterwards, as at first", afterwards, best),
    ].join("\n");
    console.log(lines);
    if (process.argv.includes("--readme")) writeReadme(lines);
  } finally {
    await server.stop();
    await database.drop();
  }
};

const writeReadme = (figures: string): void => {
  const path = fileURLToPath(new URL("README.md", import.meta.url));
  const text = readFileSync(path, "utf8");
  const [before] = text.split("<!-- overload -->");
  const [, after] = text.split("<!-- /overload -->");
  writeFileSync(path, `${before}<!-- overload -->\n${figures}\n<!-- /overload -->${after}`);
};

if (process.argv.includes("--senders")) console.log(await busySenders());
else if (process.argv.includes("--connections")) console.log(await connectionCost(), await waitingCost());
else await run();
