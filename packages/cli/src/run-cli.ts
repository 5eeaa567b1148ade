import { readFileSync } from "node:fs";
import { ConfigError } from "@postern/server";
import { Command, CommanderError } from "commander";
import { addApiCommands } from "./commands/api.ts";
import { addAuditCommands } from "./commands/audit.ts";
import { addDoctorCommand } from "./commands/doctor.ts";
import { addEventCommands } from "./commands/events.ts";
import { addJobCommands } from "./commands/jobs.ts";
import { addMigrateCommand } from "./commands/migrate.ts";
import { addProviderCommands } from "./commands/providers.ts";
import { addSecretKeyCommands } from "./commands/secret-key.ts";
import { addSendCommand } from "./commands/send.ts";
import { addServeCommands } from "./commands/serve.ts";
import { addUserCommands } from "./commands/users.ts";
import { addVerifyCommand } from "./commands/verify.ts";
import { CommandError, exitCodes, type Terminal, textOnly } from "./terminal.ts";

const version = (): string => {
  const manifest: unknown = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  return typeof manifest === "object" && manifest !== null && "version" in manifest
    ? String(manifest.version)
    : "unknown";
};

const exitCodeHelp = `
Examples:
  postern send demo                                  a signed test webhook
  postern events list --state dead                   what was given up
  postern events replay --state dead --since 24h     all of it again; shows the plan and asks
  postern users create --name Ada --email ada@example.com --role admin
  postern doctor                                     what is wrong, and what to do

Exit codes:
  0 done                               5 server or database not reachable
  1 failed                             6 some items failed
  2 wrong usage or configuration       7 confirmation needed
  3 not found                          8 problems found, signature not valid
  4 not allowed

Settings come from the environment and postern.config.{ts,mjs,js}, the same as the server's.`;

/** The command line from arguments to exit code. Data goes to stdout, everything else to stderr. */
export const runCli = async (args: readonly string[], given: Terminal): Promise<number> => {
  const terminal = textOnly(given);
  let exitCode: number = exitCodes.done;
  const program = new Command("postern")
    .description("a REST API and webhook inbox: serve it and look after it")
    .version(version(), "-V, --version")
    .showHelpAfterError("(say --help for what there is)")
    .addHelpText("after", exitCodeHelp)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void terminal.stdout.write(text),
      writeErr: (text) => void terminal.stderr.write(text),
    });
  addServeCommands(program, (code) => {
    exitCode = code;
  });
  addMigrateCommand(program, terminal);
  addDoctorCommand(program, terminal);
  addUserCommands(program, terminal);
  addProviderCommands(program, terminal);
  addEventCommands(program, terminal);
  addJobCommands(program, terminal);
  addAuditCommands(program, terminal);
  addSecretKeyCommands(program, terminal);
  addSendCommand(program, terminal);
  addVerifyCommand(program, terminal);
  addApiCommands(program, terminal);
  inheritSettings(program);
  try {
    await program.parseAsync(args, { from: "user" });
    return exitCode;
  } catch (thrown) {
    return report(thrown, terminal);
  }
};

/** Subcommands made with `command()` copy the settings of their parent only as they were then. */
const inheritSettings = (parent: Command): void => {
  for (const command of parent.commands) {
    command.copyInheritedSettings(parent).exitOverride();
    inheritSettings(command);
  }
};

const report = (thrown: unknown, { stderr }: Terminal): number => {
  if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? exitCodes.done : exitCodes.usage;
  if (thrown instanceof CommandError) {
    stderr.write(`${thrown.message}\n`);
    return thrown.exitCode;
  }
  if (thrown instanceof ConfigError) {
    for (const fault of thrown.faults) stderr.write(`${fault}\n`);
    return exitCodes.usage;
  }
  stderr.write(`Something unforeseen went wrong: ${thrown instanceof Error ? thrown.message : String(thrown)}\n`);
  return exitCodes.failed;
};
