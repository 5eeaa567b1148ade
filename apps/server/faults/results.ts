import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

/** The result of one fault. */
export interface Row {
  readonly fault: string;
  readonly sent: number;
  readonly accepted: number;
  /** Tries that got 503 or no answer. Each was made again. */
  readonly refused: number;
  readonly processed: number;
  readonly lost: number;
  readonly doubled: number;
  readonly remark: string;
}

/** A line of JSON for each fault, in the order in which they ended. */
export const resultsFile = fileURLToPath(new URL("../../../.cache/faults.jsonl", import.meta.url));
const readme = new URL("README.md", import.meta.url);

const tableOf = (rows: readonly Row[]): string =>
  [
    "| fault | sent | accepted | tries refused | processed | lost | doubled | |",
    "|---|---:|---:|---:|---:|---:|---:|---|",
    ...rows.map(
      ({ fault, sent, accepted, refused, processed, lost, doubled, remark }) =>
        `| ${fault} | ${sent} | ${accepted} | ${refused} | ${processed} | ${lost} | ${doubled} | ${remark} |`,
    ),
  ].join("\n");

/**
 * Vitest's global set-up. After the tests it prints the table. After a long run it also writes the
 * table into the README.
 */
export const setup = (): (() => void) => {
  mkdirSync(dirname(resultsFile), { recursive: true });
  rmSync(resultsFile, { force: true });
  return () => {
    let lines: readonly string[];
    try {
      lines = readFileSync(resultsFile, "utf8").trim().split("\n");
    } catch {
      // No fault test ran.
      return;
    }
    const rows = lines.map((line): Row => JSON.parse(line));
    const table = tableOf(rows.toSorted((left, right) => left.fault.localeCompare(right.fault)));
    process.stdout.write(`\n${table}\n`);
    if (process.env.POSTERN_FAULTS !== "long") return;
    const when = `Node ${process.versions.node}, ${availableParallelism()} cores, ${new Date().toISOString().slice(0, 10)}, the long form.`;
    const text = readFileSync(readme, "utf8");
    const figures = `<!-- figures -->\n${when}\n\n${table}\n<!-- /figures -->`;
    writeFileSync(readme, text.replace(/<!-- figures -->[\s\S]*<!-- \/figures -->/, figures));
  };
};
