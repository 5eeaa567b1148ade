import { loadServer } from "../load-server.ts";
import type { Session } from "../session.ts";
import { type Finding, finding } from "./finding.ts";

const largestSkewMs = 5_000;

const mebibytes = (bytes: number): string => `${Math.round(bytes / 1024 / 1024)} MiB`;

/** The disk, the log, the clock and the limits of the database. */
export const examineDatabase = async ({ composition, config }: Session): Promise<readonly Finding[]> => {
  const { database, storageWarnings } = composition;
  const { leastFreeBytes, largestWalBytes } = storageWarnings;
  const { driver, walBytes, freeBytes, clockSkewMs } = await database.inspect();
  const findings: Finding[] = [finding("database driver", true, driver, "")];
  const tools = await (await loadServer()).dumpTools(driver);
  if (tools !== undefined) findings.push(finding("dump tools", tools.ok, tools.text, tools.text));
  if (freeBytes !== undefined) {
    const text = mebibytes(freeBytes);
    findings.push(finding("disk space", freeBytes >= leastFreeBytes, `${text} free`, `only ${text} are free`));
  }
  if (walBytes !== undefined) {
    const text = mebibytes(walBytes);
    const bad = `${text}: some process reads without end; restart it`;
    findings.push(finding("write-ahead log", walBytes <= largestWalBytes, text, bad));
  }
  if (clockSkewMs !== undefined) {
    const text = `${clockSkewMs} ms from ours`;
    const bad = `${text}: set both by the same time server`;
    findings.push(finding("database clock", Math.abs(clockSkewMs) <= largestSkewMs, text, bad));
    const low = await database.lowLimits({ longestBytes: config.webhookLimitBytes });
    if (low.length === 0) findings.push(finding("database limits", true, "none is too low", ""));
    for (const { text: bad } of low) findings.push(finding("database limits", false, "", bad));
  }
  return findings;
};
