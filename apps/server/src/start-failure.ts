import { ConfigError } from "./config-error.ts";

/** Why a server did not start: the message, and the exit code of the process. */
export interface StartFailure {
  readonly exitCode: 1 | 2 | 5;
  readonly message: string;
}

/** What Node reports about a failed system call. */
interface SystemError {
  readonly code: string;
  readonly syscall: string;
  readonly path: string | undefined;
  readonly address: string | undefined;
  readonly port: number | undefined;
}

const systemErrorOf = (thrown: unknown): SystemError | undefined => {
  if (!(thrown instanceof Error) || !("syscall" in thrown) || !("code" in thrown)) return undefined;
  const { path, address, port } = thrown as { path?: unknown; address?: unknown; port?: unknown };
  return {
    code: String(thrown.code),
    syscall: String(thrown.syscall),
    path: typeof path === "string" ? path : undefined,
    address: typeof address === "string" ? address : undefined,
    port: typeof port === "number" ? port : undefined,
  };
};

const cannotListen = ({ code, address, port }: SystemError, metricsPort: number | undefined): string => {
  const variable = port !== undefined && port === metricsPort ? "POSTERN_METRICS_PORT" : "PORT";
  const place =
    port === undefined ? (address ?? "there") : `on port ${port}${address === undefined ? "" : ` of ${address}`}`;
  if (code === "EADDRINUSE") {
    return `Postern cannot listen ${place}: it is taken. Stop what uses it, or set ${variable} to another one.\n`;
  }
  if (code === "EACCES") {
    return `Postern may not listen ${place}: low ports are for privileged users. Set ${variable} to one above 1023.\n`;
  }
  return `Postern cannot listen ${place} (${code}): check HOST and ${variable}.\n`;
};

/** The innermost cause. The errors around it only say that something inside failed. */
export const reasonOf = (thrown: unknown): string => {
  const seen = new Set<unknown>();
  let error = thrown;
  while (error instanceof Error && error.cause !== undefined && !seen.has(error)) {
    seen.add(error);
    error = error.cause;
  }
  return error instanceof Error ? error.message : String(error);
};

const codeOf = (thrown: unknown): string => (thrown instanceof Error && "code" in thrown ? String(thrown.code) : "");

const unusableFile = /^SQLITE_(CANTOPEN|READONLY|PERM|NOTADB)/;

/**
 * Explains why a start failed and what you can do about it. `metricsPort` tells which of two ports
 * is meant.
 */
export const startFailureOf = (thrown: unknown, metricsPort?: number): StartFailure => {
  if (thrown instanceof ConfigError) {
    const faults = thrown.faults.map((fault) => `  - ${fault}\n`).join("");
    return { exitCode: 2, message: `Postern cannot start with this configuration:\n${faults}` };
  }
  const system = systemErrorOf(thrown);
  if (system !== undefined && ["listen", "bind", "getaddrinfo"].includes(system.syscall)) {
    return { exitCode: 2, message: cannotListen(system, metricsPort) };
  }
  if (system?.path !== undefined) {
    return {
      exitCode: 2,
      message:
        `Postern cannot use ${system.path} (${system.code}). The database and its key are kept there: start it as a user who may write there, ` +
        "or name another file with DATABASE_URL, e.g. sqlite:/var/lib/postern/postern.db.\n",
    };
  }
  const code = codeOf(thrown);
  if ([code, codeOf((thrown as Error | undefined)?.cause)].some((each) => unusableFile.test(each))) {
    return {
      exitCode: 2,
      message: `Postern cannot open its database file: ${reasonOf(thrown)}. DATABASE_URL must name a SQLite file that it may write.\n`,
    };
  }
  if (code === "unavailable") {
    return { exitCode: 5, message: `Postern cannot reach its database: ${reasonOf(thrown)}. Check DATABASE_URL.\n` };
  }
  return {
    exitCode: 1,
    message: `Postern could not start: ${thrown instanceof Error ? thrown.message : String(thrown)}\n`,
  };
};
