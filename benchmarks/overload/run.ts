/**
 * Finds the highest throughput that the server has, then sends at twice that rate; see README.md.
 * `pnpm overload [--seconds=6] [--readme]`
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { signUp } from "../siege/besiege.ts";
import { freshDatabase } from "../siege/database.ts";
import { attackAddresses } from "../siege/field.ts";
import { startServer } from "../siege/server.ts";
import type { Measured, Order } from "./load.ts";

const option = (name: string): string | undefined =>
  process.argv.find((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3);

const load = async (order: Order): Promise<Measured> => {
  const child = fork(fileURLToPath(new URL("load.ts", import.meta.url)), {
    execArgv: ["--conditions=@postern/source", "--import", "tsx"],
  });
  child.send(order);
  const [measured] = await once(child, "message");
  return measured;
};

const at = (times: readonly number[], share: number): string =>
  times.length === 0
    ? "–"
    : String(Math.round(times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0));

const row = (what: string, measured: Measured, best: number): string => {
  const { perSecond, sentPerSecond, accepted, refused, notSent } = measured;
  const columns = [
    what,
    Math.round(sentPerSecond).toLocaleString("en"),
    `${Math.round(perSecond).toLocaleString("en")} · ${(perSecond / best).toFixed(2)}`,
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
    const accounts = await Promise.all(attackAddresses.map((address, n) => signUp(port, `caller-${n}`, address)));
    const closed = { port, accounts, connectionsEach: 8, rate: 0 };
    await load({ ...closed, seconds: 2 });
    const best = await load({ ...closed, seconds });
    const rate = 2 * best.perSecond;
    const over = await load({ port, accounts, connectionsEach: 90, seconds, rate });
    const afterwards = await load({ ...closed, seconds: 3 });
    const lines = [
      `Node ${process.versions.node}, ${new Date().toISOString().slice(0, 10)}, ${seconds} s each, peak memory ${Math.round(server.peakMemory())} MB.`,
      "",
      "| load | sent a second | answered 200 a second · of the best | p50 / p99 ms | refused | p50 / p99 ms | not sent |",
      "|---|---:|---:|---:|---:|---:|---:|",
      row("64 connections, each as fast as it is answered", best, best.perSecond),
      row("twice that rate, 720 connections", over, best.perSecond),
      row("afterwards, as at first", afterwards, best.perSecond),
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

await run();
