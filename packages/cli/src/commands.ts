import type { Command } from "commander";
import type { Terminal } from "./terminal.ts";

/**
 * Declares a command's options and what it does. `onExit` receives the exit code of a server.
 * `loadAll` makes the whole command line, for a command that is about all others.
 */
type Declare = (
  command: Command,
  terminal: Terminal,
  onExit: (code: number) => void,
  loadAll: () => Promise<Command>,
) => void;

interface Described {
  /** The command's name, with its arguments if it has any. */
  readonly name: string;
  readonly description: string;
  readonly load: () => Promise<Declare>;
}

/**
 * The commands, in the order of the page of help. The file of a command is loaded only when it is
 * called: `postern --version` and `postern --help` need none of them.
 */
const commands: readonly Described[] = [
  {
    name: "serve",
    description: "run the API, the webhook inbox and, unless POSTERN_ROLE says otherwise, the jobs",
    load: async () => (await import("./commands/serve.ts")).addServeCommand,
  },
  {
    name: "dev",
    description: "serve this project, and begin anew after each change of its files",
    load: async () => (await import("./commands/dev.ts")).addDevCommand,
  },
  {
    name: "worker",
    description: "run jobs only",
    load: async () => (await import("./commands/serve.ts")).addWorkerCommand,
  },
  {
    name: "init",
    description: "write a configuration and its settings into a Node project that is there already",
    load: async () => (await import("./commands/init.ts")).addInitCommand,
  },
  {
    name: "migrate",
    description: "bring the database's tables up to date",
    load: async () => (await import("./commands/migrate.ts")).addMigrateCommand,
  },
  {
    name: "seed <file>",
    description: "write the rows of a file, by their ids, so that a second run changes nothing",
    load: async () => (await import("./commands/seed.ts")).addSeedCommand,
  },
  {
    name: "status",
    description: "say in a sentence whether work flows and what holds it, and show the facts behind it",
    load: async () => (await import("./commands/status.ts")).addStatusCommand,
  },
  {
    name: "counts",
    description: "show how many webhooks came and how many jobs ended, over time",
    load: async () => (await import("./commands/counts.ts")).addCountsCommand,
  },
  {
    name: "doctor",
    description: "check configuration, database, providers and jobs, and say what to do",
    load: async () => (await import("./commands/doctor.ts")).addDoctorCommand,
  },
  {
    name: "config",
    description: "look at the settings of the server",
    load: async () => (await import("./commands/config.ts")).addConfigCommands,
  },
  {
    name: "backup <file>",
    description: "copy the database into a file while the server runs, and check the copy",
    load: async () => (await import("./commands/backup.ts")).addBackupCommand,
  },
  {
    name: "restore <file>",
    description: "put a backup in the place of the database; stop Postern first",
    load: async () => (await import("./commands/backup.ts")).addRestoreCommand,
  },
  {
    name: "copy",
    description: "move to another database: copy all rows of a stopped server, from any kind to any kind",
    load: async () => (await import("./commands/copy.ts")).addCopyCommand,
  },
  {
    name: "setup-link",
    description: "print a link with which a browser makes the first administrator",
    load: async () => (await import("./commands/setup-link.ts")).addSetupLinkCommand,
  },
  {
    name: "users",
    description: "look after the users of the API",
    load: async () => (await import("./commands/users.ts")).addUserCommands,
  },
  {
    name: "keys",
    description: "look after the API keys of users",
    load: async () => (await import("./commands/keys.ts")).addKeyCommands,
  },
  {
    name: "sessions",
    description: "look after the sign-ins of users",
    load: async () => (await import("./commands/sessions.ts")).addSessionCommands,
  },
  {
    name: "clients",
    description: "look after the clients of OAuth 2",
    load: async () => (await import("./commands/clients.ts")).addClientCommands,
  },
  {
    name: "grants",
    description: "look after what users allowed clients of OAuth 2",
    load: async () => (await import("./commands/grants.ts")).addGrantCommands,
  },
  {
    name: "outside-identities",
    description: "look after the links of users to accounts at the outside issuer",
    load: async () => (await import("./commands/outside-identities.ts")).addOutsideIdentityCommands,
  },
  {
    name: "providers",
    description: "look after the senders of webhooks",
    load: async () => (await import("./commands/providers.ts")).addProviderCommands,
  },
  {
    name: "events",
    description: "look at webhook events and run them again",
    load: async () => (await import("./commands/events.ts")).addEventCommands,
  },
  {
    name: "refusals",
    description: "look at deliveries that were refused, why, and what to do",
    load: async () => (await import("./commands/refusals.ts")).addRefusalCommands,
  },
  {
    name: "plans",
    description: "replay or discard all events that match, in the background at a set rate",
    load: async () => (await import("./commands/plans.ts")).addPlanCommands,
  },
  {
    name: "jobs",
    description: "look at background jobs, run them again, cancel them",
    load: async () => (await import("./commands/jobs.ts")).addJobCommands,
  },
  {
    name: "causes",
    description: "show why attempts fail: failures that differ in ids and numbers alone are one row",
    load: async () => (await import("./commands/causes.ts")).addCausesCommand,
  },
  {
    name: "queues",
    description: "look at queues, pause and resume them",
    load: async () => (await import("./commands/queues.ts")).addQueueCommands,
  },
  {
    name: "schedules",
    description: "look at work that starts at set times, pause, resume and run it",
    load: async () => (await import("./commands/schedules.ts")).addScheduleCommands,
  },
  {
    name: "audit",
    description: "read and check what was done, and by whom",
    load: async () => (await import("./commands/audit.ts")).addAuditCommands,
  },
  {
    name: "secret-key",
    description: "change the key that stored secrets are sealed under and cursors are signed with",
    load: async () => (await import("./commands/secret-key.ts")).addSecretKeyCommands,
  },
  {
    name: "signing-keys",
    description: "look after the keys that access tokens are signed with",
    load: async () => (await import("./commands/signing-keys.ts")).addSigningKeyCommands,
  },
  {
    name: "listen",
    description: "follow a server's events and forward each to a program on this machine, signed anew",
    load: async () => (await import("./commands/listen.ts")).addListenCommand,
  },
  {
    name: "send <provider>",
    description: "sign a test event with a provider's own secret and deliver it",
    load: async () => (await import("./commands/send.ts")).addSendCommand,
  },
  {
    name: "verify <provider> [body]",
    description:
      "check the signature of a saved request with a provider's own keys; exits with 0 if it is valid, 8 if not",
    load: async () => (await import("./commands/verify.ts")).addVerifyCommand,
  },
  {
    name: "openapi",
    description: "print the OpenAPI 3.1 document of a version",
    load: async () => (await import("./commands/api.ts")).addOpenApiCommand,
  },
  {
    name: "client",
    description: "write a typed client of your API",
    load: async () => (await import("./commands/client.ts")).addClientCommand,
  },
  {
    name: "contract",
    description: "keep what released versions of your API promise: record a version, check all of them",
    load: async () => (await import("./commands/contract.ts")).addContractCommands,
  },
  {
    name: "changelog",
    description: "print what changed from version to version, as Markdown",
    load: async () => (await import("./commands/api.ts")).addChangeLogCommand,
  },
  {
    name: "deprecations",
    description: "show what will go away, and who still uses it",
    load: async () => (await import("./commands/api.ts")).addDeprecationsCommand,
  },
  {
    name: "mcp",
    description: "let an agent read over the Model Context Protocol, on stdin and stdout, and plan without running",
    load: async () => (await import("./commands/mcp.ts")).addMcpCommand,
  },
  {
    name: "login <url>",
    description: "keep the address of a running server and an API key for --server",
    load: async () => (await import("./commands/login.ts")).addLoginCommand,
  },
  {
    name: "logout <name>",
    description: "forget a server of login, and its key",
    load: async () => (await import("./commands/login.ts")).addLogoutCommand,
  },
  {
    name: "completion <shell>",
    description: "print a script that lets bash, zsh or fish complete commands and options",
    load: async () => (await import("./commands/completion.ts")).addCompletionCommand,
  },
];

/**
 * Makes a command line with the options of every command. It loads the file of each, so only what
 * shows all of them needs it.
 */
export const loadAllCommands = async (program: Command, terminal: Terminal): Promise<Command> => {
  const whole = program.createCommand(program.name());
  for (const option of program.options) whole.addOption(option);
  const ignored = (): void => undefined;
  const loadAll = async (): Promise<Command> => whole;
  for (const { name, description, load } of commands) {
    const [word = ""] = name.split(" ");
    (await load())(whole.command(word).description(description), terminal, ignored, loadAll);
  }
  return whole;
};

/** Adds the options that stand before or after any command. */
export const addSharedOptions = (program: Command): Command =>
  program
    .option("--server <url-or-name>", "look after a running server, over its API (POSTERN_SERVER)")
    .option("--token <key>", "the API key for it; POSTERN_TOKEN and postern login keep it out of lists of processes");

/** Those that have a value. */
const takesValue: ReadonlySet<string> = new Set(["--server", "--token"]);

/** Adds all commands. Only the one that the arguments name is loaded and gets its options. */
export const addCommands = async (
  program: Command,
  args: readonly string[],
  terminal: Terminal,
  onExit: (code: number) => void,
): Promise<void> => {
  const called = args.find(
    (arg, index) => !arg.startsWith("-") && arg !== "help" && !takesValue.has(args[index - 1] ?? ""),
  );
  const loadAll = (): Promise<Command> => loadAllCommands(program, terminal);
  for (const { name, description, load } of commands) {
    const [word = ""] = name.split(" ");
    if (word === called) (await load())(program.command(word).description(description), terminal, onExit, loadAll);
    else program.command(name).description(description);
  }
};
