import type { ServerConfig } from "./config.ts";

/** These mean every address of this machine, and no browser opens them. */
const everyAddress: ReadonlySet<string> = new Set(["0.0.0.0", "::", "[::]"]);

const hostIn = (host: string): string => {
  if (everyAddress.has(host)) return "localhost";
  return host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
};

type Placed = Pick<ServerConfig, "publicUrl" | "basePath" | "tls" | "host" | "port">;

/** The address of the server as the setting says it, or else as this machine reaches it; no slash at its end. */
export const ownAddress = ({ publicUrl, basePath, tls, host, port }: Placed): string =>
  (publicUrl?.replace(/\/$/, "") ?? `${tls === undefined ? "http" : "https"}://${hostIn(host)}:${port}`) + basePath;
