import { Command, CommanderError } from "commander";
import { addCommands, addSharedOptions, loadAllCommands } from "./commands.ts";
import { inOptions } from "./in-options.ts";
import { loadServer } from "./load-server.ts";
import { CommandError, exitCodes, hint, isRunByNpm, type Terminal, textOnly } from "./terminal.ts";
import { version } from "./version.ts";

const exitCodeHelp = `
Examples:
  postern send demo                                  a signed test webhook
  postern events list --state dead                   what was given up
  postern causes --since 24h                         why, in a few rows
  postern events replay --state dead --since 24h     all of it again; shows the plan and asks
  postern users create --name Ada --email ada@example.com --role admin
  postern status                                     whether work flows, and what holds it
  postern doctor                                     what is wrong, and what to do

Exit codes:
  0 done                               5 server or database not reachable
  1 failed                             6 some items failed
  2 wrong usage or configuration       7 confirmation needed
  3 not found                          8 problems found, signature not valid
  4 not allowed                        9 the present state does not allow it

postern help --json prints every command and option, for programs.
Settings come from the environment and postern.config.{ts,mjs,js}, the same as the server's.`;

/**
 * Runs the command line and returns its exit code. Data goes to stdout, everything else to stderr.
 */
export const runCli = async (args: readonly string[], given: Terminal): Promise<number> => {
  let running: Command | undefined;
  const terminal: Terminal = {
    ...textOnly(given),
    server: async () => (await import("./chosen-server.ts")).chosenServer(program.opts(), given),
    inOptions: (text) => (running === undefined ? text : inOptions(text, running)),
  };
  let exitCode: number = exitCodes.done;
  const program = new Command("postern")
    .description("a REST API and webhook inbox: serve it and look after it")
    .version(version(), "-V, --version")
    .showHelpAfterError("(--help lists the commands and options)")
    .addHelpText("after", hint(exitCodeHelp, terminal))
    .exitOverride()
    .hook("preAction", (_program, command) => {
      running = command;
    })
    .configureOutput({
      writeOut: (text) => void terminal.stdout.write(text),
      writeErr: (text) => void terminal.stderr.write(text),
      outputError: (text, write) => write(text + npmAdvice(text, terminal)),
    });
  addSharedOptions(program);
  if (args[0] === "help" && args.includes("--json")) {
    const { commandTree } = await import("./command-tree.ts");
    terminal.stdout.write(`${JSON.stringify(commandTree(await loadAllCommands(program, terminal)))}\n`);
    return exitCodes.done;
  }
  await addCommands(program, args, terminal, (code) => {
    exitCode = code;
  });
  inheritSettings(program);
  try {
    await program.parseAsync(withNpmsOptions(args, terminal), { from: "user" });
    return exitCode;
  } catch (thrown) {
    return await report(thrown, terminal);
  }
};

/** npm takes options for itself and passes on their values, which are arguments too many. */
const npmAdvice = (text: string, { environment }: Terminal): string =>
  text.includes("too many arguments") && isRunByNpm(environment)
    ? "npm keeps options for itself: put -- before them, as in npm run postern -- events list --state dead\n"
    : "";

/** `npm run postern events list --json` tells its script of `--json` by a variable alone. */
const withNpmsOptions = (args: readonly string[], { environment }: Terminal): readonly string[] =>
  isRunByNpm(environment) && environment.npm_config_json === "true" && !args.includes("--json")
    ? [...args, "--json"]
    : args;

/** A subcommand made with `command()` copies its parent's settings as they are at that moment. */
const inheritSettings = (parent: Command): void => {
  for (const command of parent.commands) {
    command.copyInheritedSettings(parent).exitOverride();
    inheritSettings(command);
  }
};

const report = async (thrown: unknown, terminal: Terminal): Promise<number> => {
  const { stderr } = terminal;
  if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? exitCodes.done : exitCodes.usage;
  if (thrown instanceof CommandError) {
    stderr.write(`${hint(thrown.message, terminal)}\n`);
    return thrown.exitCode;
  }
  const { ConfigError, MigrationRefused } = await loadServer();
  if (thrown instanceof ConfigError) {
    for (const fault of thrown.faults) stderr.write(`${hint(fault, terminal)}\n`);
    return exitCodes.usage;
  }
  if (thrown instanceof MigrationRefused) {
    stderr.write(`${hint(thrown.message, terminal)}\n`);
    return exitCodes.failed;
  }
  stderr.write(`Something unforeseen went wrong: ${thrown instanceof Error ? thrown.message : String(thrown)}\n`);
  return exitCodes.failed;
};
