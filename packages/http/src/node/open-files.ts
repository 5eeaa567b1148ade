import { readFileSync } from "node:fs";
import type { HttpSettings } from "../options.ts";

/** The rest is for the database, files and outgoing requests. */
const shareOfFiles = 0.75;

/**
 * How many files and connections the system lets this process have open. Infinite where the system
 * does not say.
 */
export const openFilesLimit = (): number => {
  try {
    const [, limit] = /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
    return limit === undefined ? Number.POSITIVE_INFINITY : Number(limit);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
};

/**
 * The bound on connections, lowered to what the limit of open files has room for. A server without
 * a free file can take no connection, and cannot open its database.
 */
export const withinOpenFiles = (
  maxConnections: number,
  { telemetry }: Pick<HttpSettings, "telemetry">,
  openFiles: number = openFilesLimit(),
): number => {
  const most = Math.floor(shareOfFiles * openFiles);
  if (maxConnections <= most) return maxConnections;
  telemetry.log("warn", "fewer connections are taken, because this process may open few files", {
    max_connections: most,
    wanted: maxConnections,
    open_files: openFiles,
    hint: `raise the limit (ulimit -n, LimitNOFILE of systemd) to ${Math.ceil(maxConnections / shareOfFiles)}, or set http.maxConnections`,
  });
  return most;
};
