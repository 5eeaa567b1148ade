import type { PostgresAddress } from "../../postgres/pool.ts";
import type { ToolCommand } from "./tool-command.ts";

/** The files of the URL, as PostgreSQL's own programs take them. */
const files = { sslrootcert: "PGSSLROOTCERT", sslcert: "PGSSLCERT", sslkey: "PGSSLKEY" } as const;

/**
 * TLS as the URL demands it. Without a file of authorities, Node takes those that it knows; the programs
 * take those of the system, from version 16 on.
 */
const tlsOf = (address: PostgresAddress, given: URLSearchParams): Record<string, string> => {
  if (address.tls === undefined) return { PGSSLMODE: "disable" };
  const mode = given.get("sslrootcert") === "system" ? "verify-full" : (given.get("sslmode") ?? "verify-full");
  const settings: Record<string, string> = { PGSSLMODE: mode };
  if (address.channelBinding === true) settings.PGCHANNELBINDING = "require";
  if (mode !== "require") settings[files.sslrootcert] = "system";
  for (const [parameter, variable] of Object.entries(files)) {
    const path = given.get(parameter);
    if (path !== null) settings[variable] = path;
  }
  return settings;
};

const settingsOf = (address: PostgresAddress, given: URLSearchParams): Record<string, string> => ({
  PGHOST: address.hosts.map(({ host }) => host).join(","),
  PGPORT: address.hosts.map(({ port }) => port).join(","),
  PGUSER: address.user,
  ...(address.hosts.length > 1 ? { PGTARGETSESSIONATTRS: "read-write" } : {}),
  ...tlsOf(address, given),
});

/** The programs that make a backup and put it back. */
export const dumpPrograms = [["pg_dump"], ["pg_restore"]] as const;
const [dumping, loading] = dumpPrograms;

/** The command that writes a database into a file. `snapshot`: the moment that it writes, see `pg_export_snapshot`. */
export const dumpOf = (
  address: PostgresAddress,
  given: URLSearchParams,
  file: string,
  snapshot?: string,
): ToolCommand => ({
  programs: dumping,
  args: [
    "--format=custom",
    "--no-password",
    // A pattern: without the quotes, capitals would become small.
    ...(address.schema === undefined ? [] : [`--schema="${address.schema}"`]),
    ...(snapshot === undefined ? [] : [`--snapshot=${snapshot}`]),
    `--file=${file}`,
    address.database,
  ],
  environment: settingsOf(address, given),
  password: { variable: "PGPASSWORD", value: address.password },
});

/** The command that puts a file into an empty database: all of it or nothing. Everything belongs to its role. */
export const loadOf = (address: PostgresAddress, given: URLSearchParams, file: string): ToolCommand => ({
  programs: loading,
  args: [
    "--exit-on-error",
    "--single-transaction",
    "--no-owner",
    "--no-password",
    // A schema is there already, and only what is in it is put back.
    ...(address.schema === undefined ? [] : [`--schema=${address.schema}`]),
    `--dbname=${address.database}`,
    file,
  ],
  environment: settingsOf(address, given),
  password: { variable: "PGPASSWORD", value: address.password },
});
