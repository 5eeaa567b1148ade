import type { App } from "@postern/app";
import { AppError } from "@postern/core";
import type { AuditEntry } from "@postern/core/ports";
import type { ProviderDefinition } from "@postern/inbox";
import { storedDefinition } from "@postern/inbox/internal";
import { newestOf } from "@postern/rest";
import type { Composition, ServerConfig } from "@postern/server";
import { loadServer } from "./load-server.ts";
import type { OperationCall, Operations } from "./operations.ts";
import { remoteOperations } from "./remote-operations.ts";
import { CommandError, exitCodeOf, exitCodes, hint, type Terminal } from "./terminal.ts";

/** What a command works with that needs the database itself: the server's own composition. */
export interface Session extends Operations {
  readonly config: ServerConfig;
  readonly composition: Composition;
}

/**
 * A provider by name, with its keys, from the configuration or the database.
 * @throws CommandError
 */
export const providerNamed = async ({ providers, ports }: Composition, name: string): Promise<ProviderDefinition> => {
  if (!/^[a-z0-9-]{1,64}$/.test(name))
    throw new CommandError(
      exitCodes.usage,
      `"${name}" is no sender's name: a name has 1 to 64 lower-case letters, digits and hyphens.`,
    );
  const configured = providers.find((candidate) => candidate.name === name);
  if (configured !== undefined) return configured;
  // Without a database, only the configured ones are known.
  const stored = await storedDefinition(ports, name).catch(() => undefined);
  if (stored !== undefined) return stored;
  const added = await ports.storage.providers.list().catch(() => []);
  const known = [...providers, ...added].map((candidate) => candidate.name).join(", ");
  const variable = `WEBHOOK_${name.toUpperCase().replaceAll("-", "_")}_SECRET`;
  throw new CommandError(
    exitCodes.notFound,
    `No sender "${name}" is configured; there is ${known === "" ? "none" : known}. Set ${variable}, also where your own code configures it, or say: postern providers add ${name}`,
  );
};

/** Notes in the audit log what the operator did without an operation. */
export const noteAtTerminal = async (
  { storage, clock }: Composition["ports"],
  about: Pick<AuditEntry, "action" | "resource" | "resourceId">,
): Promise<void> => {
  const { operator } = await loadServer();
  await storage.audit.append({
    at: clock.now(),
    actor: { kind: "operator", id: operator.kind === "operator" ? operator.name : "server" },
    credential: "cli",
    result: "done",
    requestId: "cli",
    address: "local",
    fields: [],
    ...about,
  });
};

/**
 * The configuration of the server that would run here. Only errors are logged; the command's own
 * message reports them on stderr.
 * @throws CommandError where `--server` chose another one.
 */
export const configOf = async ({ environment, server }: Terminal): Promise<ServerConfig> => {
  const chosen = await server?.();
  if (chosen !== undefined)
    throw new CommandError(
      exitCodes.usage,
      `This command works on the database itself, not on ${chosen.url}. Run it where DATABASE_URL leads to the database, without --server and POSTERN_SERVER.`,
    );
  const { readConfig } = await loadServer();
  const config = readConfig({ ...environment, LOG_LEVEL: environment.LOG_LEVEL ?? "error" }, false);
  // Who runs a command sees at once that the database is not there.
  return { ...config, databaseWaitMs: 0 };
};

/** The same as `withSession`, also with a database whose tables are missing or of another version. */
export const withUncheckedSession = async <Result>(
  terminal: Terminal,
  work: (session: Session) => Promise<Result>,
): Promise<Result> => {
  const { compose, loadConfigFile } = await loadServer();
  const config = await configOf(terminal);
  const composition = await compose(config, await loadConfigFile(config.configPath, terminal.directory));
  try {
    return await work({
      config,
      composition,
      // The types are those of the contract that a test compares with the operations.
      run: async (call) => (await answerOf(composition.app, call, terminal)).body as never,
      stream: async (call) => {
        const { stream } = await answerOf(composition.app, call, terminal);
        if (stream === undefined) throw new TypeError(`${call.operation} answers with no stream`);
        return stream;
      },
      question: async (id) => newestOf(composition.app.versions).operations.find((one) => one.id === id)?.confirm,
    });
  } catch (thrown) {
    throw commandError(thrown, terminal);
  } finally {
    await composition.close();
  }
};

/** Opens the configured database, runs `work`, and closes the database. */
export const withSession = <Result>(terminal: Terminal, work: (session: Session) => Promise<Result>): Promise<Result> =>
  withUncheckedSession(terminal, async (session) => {
    await session.composition.storage.check();
    return work(session);
  });

/**
 * Runs `work` with the operations of the server that `--server` chose, or of the one that would run
 * here, on its database.
 */
export const withOperations = async <Result>(
  terminal: Terminal,
  work: (operations: Operations) => Promise<Result>,
): Promise<Result> => {
  const chosen = await terminal.server?.();
  return chosen === undefined ? withSession(terminal, work) : work(remoteOperations(chosen, terminal));
};

const answerOf = async (app: App, call: OperationCall, terminal: Terminal): ReturnType<App["run"]> => {
  const { operator } = await loadServer();
  try {
    return await app.run({ ...call, principal: operator });
  } catch (thrown) {
    const isTold = thrown instanceof AppError && thrown.detail !== undefined && terminal.inOptions !== undefined;
    throw commandError(isTold ? thrown.with({ detail: terminal.inOptions(thrown.detail) }) : thrown, terminal);
  }
};

/** Why the database is not available, and what to do, as a start says it. */
export const causeOf = ({ cause }: AppError): string =>
  cause instanceof Error ? `${cause.message}. Check DATABASE_URL.` : "`postern doctor` says what is wrong.";

/** An error of the API as the end of a command; any other error as it is. */
export const commandError = (thrown: unknown, terminal: Terminal): unknown => {
  if (!(thrown instanceof AppError)) return thrown;
  const advice = thrown.code === "unavailable" ? ` ${hint(causeOf(thrown), terminal)}` : "";
  return new CommandError(exitCodeOf(thrown), `${thrown.message}${advice} [${thrown.code}]`, thrown.code);
};
