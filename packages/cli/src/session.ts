import { type App, AppError, type DirectCall } from "@postern/core";
import { type Composition, compose, loadConfigFile, operator, readConfig, type ServerConfig } from "@postern/server";
import { CommandError, exitCodes, type Terminal } from "./terminal.ts";

/** What a command works with: the same composition as the server's, straight on the database. */
export interface Session {
  readonly config: ServerConfig;
  readonly composition: Composition;
  /** Runs an operation as the operator and answers its body. @throws CommandError */
  run(call: Omit<DirectCall, "principal">): Promise<unknown>;
}

/** Only what goes wrong is logged, to stderr by way of the command's own message. */
export const configOf = (terminal: Terminal): ServerConfig => ({
  ...readConfig({ ...terminal.environment, LOG_LEVEL: terminal.environment.LOG_LEVEL ?? "error" }, false),
});

/** Opens the configured database, runs `work`, closes it. */
export const withSession = async <Result>(
  terminal: Terminal,
  work: (session: Session) => Promise<Result>,
  options: { readonly checkSchema: boolean } = { checkSchema: true },
): Promise<Result> => {
  const config = configOf(terminal);
  const composition = compose(config, await loadConfigFile(config.configPath, terminal.directory));
  try {
    if (options.checkSchema) await composition.storage.check();
    return await work({ config, composition, run: (call) => runOperation(composition.app, call) });
  } catch (thrown) {
    throw commandError(thrown);
  } finally {
    await composition.close();
  }
};

const runOperation = async (app: App, call: Omit<DirectCall, "principal">): Promise<unknown> => {
  const answer = await app.run({ ...call, principal: operator });
  return answer.body;
};

const exitCodeOf = (error: AppError): number => {
  if (error.status === 404) return exitCodes.notFound;
  if (error.status === 401 || error.status === 403) return exitCodes.notAllowed;
  if (error.code === "unavailable") return exitCodes.unreachable;
  return error.status < 500 ? exitCodes.usage : exitCodes.failed;
};

const commandError = (thrown: unknown): unknown =>
  thrown instanceof AppError ? new CommandError(exitCodeOf(thrown), `${thrown.message} [${thrown.code}]`) : thrown;
