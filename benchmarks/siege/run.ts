/**
 * Besieges a real server, one attack after the other, with a healthy client beside each; see
 * README.md. `pnpm siege [--only=<attack>,…] [--database=sqlite,mariadb] [--memory=512]
 * [--log=<file>] [--warm] [--readme] [--ci]`, or with and without each mechanism:
 * `pnpm siege --without=all [--rounds=5] [--only=…]`
 */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { attacks } from "./attacks.ts";
import { besiege, type Outcome } from "./besiege.ts";
import { faultsOf, wasRefusedOrLate } from "./bounds.ts";
import { type DatabaseKind, mariadbAnswers } from "./database.ts";
import { compare, comparisonHeading } from "./without/compare.ts";
import { mechanisms } from "./without/mechanisms.ts";

const option = (name: string): string | undefined =>
  process.argv.find((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3);
const flag = (name: string): boolean => process.argv.includes(`--${name}`);

const isDatabase = (name: string): name is DatabaseKind => name === "sqlite" || name === "mariadb";

const cell = ({ name, database, client, peakMemory, death, logBytes, report, slowness }: Outcome): string => {
  const { p50, p99, worst, refused, sent, refusals } = client;
  const which = [...refusals].map(([status, times]) => `${status === 0 ? "no answer" : status} × ${times}`).join(", ");
  const columns = [
    name,
    database,
    ...[p50, p99, worst].map((ms) => Math.round(ms).toLocaleString("en")),
    refused === 0 ? `0 of ${sent}` : `${refused} of ${sent} (${which})`,
    death === undefined ? Math.round(peakMemory).toLocaleString("en") : `${Math.round(peakMemory)}: ${death}`,
    `${Math.round(logBytes / 1000).toLocaleString("en")} kB`,
    slowness.toFixed(1),
    report.saw,
  ];
  return `| ${columns.join(" | ")} |`;
};

const heading = [
  "| attack | database | p50 ms | p99 ms | worst ms | refused | peak MB | log | slowness | what the attacker saw |",
  "|---|---|---:|---:|---:|---|---:|---:|---:|---|",
];

/** Keeps all attacks together within four minutes. */
const ciSeconds = 3;
/** With and without a mechanism. */
const comparedSeconds = 4;

const run = async (): Promise<number> => {
  const only = option("only")?.split(",");
  const isCi = flag("ci");
  const databases = (option("database") ?? "sqlite,mariadb").split(",").filter(isDatabase);
  const memory = Number(option("memory") ?? 512);
  const logTo = option("log");
  const warm = flag("warm");
  if (warm && only === undefined) {
    console.error("--warm repeats an attack on one server, which not every attack allows. Name some with --only.");
    return 1;
  }
  const without = option("without")?.split(",");
  if (without !== undefined) {
    const chosen = mechanisms.filter(({ name }) => without.includes("all") || without.includes(name));
    const besieging = attacks.filter((attack) => only?.includes(attack.name) !== false);
    const [database = "sqlite"] = databases;
    const options = { database, memory, logTo, mostSeconds: comparedSeconds };
    const rows = await compare(chosen, besieging, Number(option("rounds") ?? 5), options);
    console.log([...comparisonHeading, ...rows].join("\n"));
    return 0;
  }
  const lines = [...heading];
  const faults: string[] = [];
  console.log(heading.join("\n"));
  for (const database of databases) {
    if (database === "mariadb" && process.env.POSTERN_REQUIRE_DATABASES !== "1" && !(await mariadbAnswers())) {
      console.log("No MariaDB answers: nothing was besieged on it.");
      continue;
    }
    const quiet = cell(await besiege(undefined, { database, memory, logTo }));
    lines.push(quiet);
    console.log(quiet);
    for (const attack of attacks) {
      if (only?.includes(attack.name) === false) continue;
      if (isCi && database !== "sqlite" && !attack.ciAlsoOn?.includes(database)) continue;
      const options = { database, memory, logTo, warm, ...(isCi ? { mostSeconds: ciSeconds } : {}) };
      const once = async (): Promise<Outcome> => {
        const outcome = await besiege(attack, options);
        lines.push(cell(outcome));
        console.log(cell(outcome));
        for (const text of outcome.client.said) console.error(`The healthy client was told: ${text}`);
        return outcome;
      };
      const first = await once();
      const outcomes = isCi && wasRefusedOrLate(first) ? [first, await once(), await once()] : [first];
      faults.push(...faultsOf(outcomes));
    }
  }
  if (flag("readme")) writeReadme(lines, memory);
  for (const fault of faults) console.error(fault);
  return faults.length === 0 ? 0 : 1;
};

const writeReadme = (lines: readonly string[], memory: number): void => {
  const path = fileURLToPath(new URL("README.md", import.meta.url));
  const text = readFileSync(path, "utf8");
  const [before] = text.split("<!-- siege -->");
  const [, after] = text.split("<!-- /siege -->");
  const date = new Date().toISOString().slice(0, 10);
  const figures = `Node ${process.versions.node}, ${date}, ${memory === 0 ? "no limit of memory" : `${memory} MB`}.\n\n${lines.join("\n")}`;
  writeFileSync(path, `${before}<!-- siege -->\n${figures}\n<!-- /siege -->${after}`);
};

process.exitCode = await run();
