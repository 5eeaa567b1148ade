import { isNamed, type MysqlAddress } from "../../mysql/pool.ts";
import type { ToolCommand } from "./tool-command.ts";

/** Both servers call their certificates' files the same, and little else. */
const files = ["ssl-ca", "ssl-cert", "ssl-key"];

/**
 * TLS as the URL demands it, for the programs of MariaDB and of MySQL: either leaves an option with
 * `loose` out that it does not know.
 */
const tlsOf = (address: MysqlAddress, given: URLSearchParams): readonly string[] => {
  const [host] = address.hosts;
  if (address.tls === undefined || host === undefined) {
    return ["--loose-skip-ssl", "--loose-ssl-mode=DISABLED", "--loose-get-server-public-key"];
  }
  const paths = files.flatMap((name) => (given.has(name) ? [`--${name}=${given.get(name)}`] : []));
  const isVerified = isNamed(address, host);
  return [
    "--loose-ssl",
    ...(isVerified ? ["--loose-ssl-verify-server-cert"] : []),
    `--loose-ssl-mode=${isVerified ? "VERIFY_IDENTITY" : "VERIFY_CA"}`,
    ...paths,
  ];
};

/** `address` names one host: these programs take no more. */
const placeOf = (address: MysqlAddress, given: URLSearchParams): readonly string[] => {
  const [host] = address.hosts;
  return [
    // First of all: neither files of settings nor their passwords are read.
    "--no-defaults",
    ...(address.socketPath === undefined
      ? ["--protocol=TCP", `--host=${host?.host}`, `--port=${host?.port}`]
      : [`--socket=${address.socketPath}`]),
    `--user=${address.user}`,
    ...tlsOf(address, given),
    "--default-character-set=utf8mb4",
    // Rows may be longer than these programs expect. The server has its own bound.
    "--max-allowed-packet=1G",
  ];
};

const passwordOf = ({ password }: MysqlAddress): ToolCommand["password"] => ({
  variable: "MYSQL_PWD",
  value: password,
});

/** Which program understands the server best. */
export type MysqlServer = "mariadb" | "mysql";

/** The programs that make a backup and put it back, by their names, the best one first. */
export const dumpPrograms = (server: MysqlServer) =>
  server === "mariadb"
    ? ([
        ["mariadb-dump", "mysqldump"],
        ["mariadb", "mysql"],
      ] as const)
    : ([
        ["mysqldump", "mariadb-dump"],
        ["mysql", "mariadb"],
      ] as const);

/** The command that writes one moment of a database into a compressed file. */
export const dumpOf = (
  server: MysqlServer,
  address: MysqlAddress,
  given: URLSearchParams,
  file: string,
): ToolCommand => ({
  programs: dumpPrograms(server)[0],
  args: [
    ...placeOf(address, given),
    "--single-transaction",
    "--hex-blob",
    "--no-tablespaces",
    "--loose-set-gtid-purged=OFF",
    address.database,
  ],
  environment: {},
  password: passwordOf(address),
  writes: file,
});

/** The command that puts a file into an empty database. What belongs to other databases is left out. */
export const loadOf = (
  server: MysqlServer,
  address: MysqlAddress,
  given: URLSearchParams,
  reads: NonNullable<ToolCommand["reads"]>,
): ToolCommand => ({
  programs: dumpPrograms(server)[1],
  args: [...placeOf(address, given), "--one-database", address.database],
  environment: {},
  password: passwordOf(address),
  reads,
});
