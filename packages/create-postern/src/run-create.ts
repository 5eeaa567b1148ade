import { spawnSync } from "node:child_process";
import { relative, resolve } from "node:path";
import { createInterface, type Interface } from "node:readline/promises";
import { parseArgs } from "node:util";
import { CreateRefused, createProject } from "./create-project.ts";

/** Where it reads questions' answers and writes what it does. */
type Terminal = Pick<NodeJS.Process, "cwd" | "env"> & {
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream;
};

const usage = `Usage: npm create postern@latest NAME [-- --database URL] [-- --senders stripe,github]

  NAME            the new folder
  --database URL  sqlite (the default), postgres://… or mysql://…
  --senders LIST  the senders of webhooks, separated by commas (default: stripe)
  --yes           ask nothing
  --no-install    make the files only
`;

const options = {
  database: { type: "string" },
  senders: { type: "string" },
  yes: { type: "boolean", short: "y" },
  "no-install": { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const;

const defaults = { name: "my-postern", database: "sqlite", senders: "stripe" };

const parsed = (line: readonly string[]) => {
  try {
    return parseArgs({ args: [...line], options, allowPositionals: true });
  } catch (thrown) {
    throw new CreateRefused(thrown instanceof Error ? thrown.message : String(thrown));
  }
};

const ask = async (asking: Interface | undefined, question: string, usual: string): Promise<string> => {
  const given = asking === undefined ? "" : await asking.question(`${question} (${usual}): `);
  return given.trim() === "" ? usual : given.trim();
};

/** npm runs the same npm, also where its command is a script that cannot be spawned. */
const install = (folder: string, { npm_execpath: npm }: NodeJS.ProcessEnv): boolean => {
  const viaNode = npm !== undefined && /\.[cm]?js$/.test(npm);
  const [command, ...first] = viaNode ? [process.execPath, npm] : ["npm"];
  const { status } = spawnSync(command ?? "npm", [...first, "install", "--no-audit", "--no-fund"], {
    cwd: folder,
    stdio: "inherit",
    shell: !viaNode && process.platform === "win32",
  });
  return status === 0;
};

/**
 * Makes a project as the command line says, and asks for what it does not say. With `--yes`, also
 * given to npm, or without a terminal it takes the defaults. Returns the exit code: 0, or 1 if the
 * project cannot be made, with the reason on `stderr`.
 */
export const runCreate = async (line: readonly string[], terminal: Terminal): Promise<number> => {
  const { stdin, stdout, stderr, env } = terminal;
  let asking: Interface | undefined;
  try {
    const { values, positionals } = parsed(line);
    if (values.help === true) {
      stdout.write(usage);
      return 0;
    }
    // npm keeps `--yes` for itself, and tells it by this variable.
    const isQuiet = values.yes === true || env.npm_config_yes === "true" || stdin.isTTY !== true;
    asking = isQuiet ? undefined : createInterface({ input: stdin, output: stdout });
    const folder = resolve(terminal.cwd(), positionals[0] ?? (await ask(asking, "Name", defaults.name)));
    const database = values.database ?? (await ask(asking, "Database: sqlite or a URL", defaults.database));
    const senders = values.senders ?? (await ask(asking, "Senders, separated by commas", defaults.senders));
    asking?.close();
    const list = senders.split(",").map((one) => one.trim());
    createProject({ folder, database, senders: list.filter((one) => one !== "") });
    const place = relative(terminal.cwd(), folder);
    stdout.write(`Made ${place}.\n`);
    const needsInstall = values["no-install"] === true || !install(folder, env);
    stdout.write(
      [
        "",
        "Next:",
        `  cd ${place}`,
        ...(needsInstall ? ["  npm install"] : []),
        "  npm test",
        "  npm start",
        `  npm run postern -- send ${list[0]}     in a second terminal: a first webhook`,
        "",
      ].join("\n"),
    );
    return 0;
  } catch (thrown) {
    asking?.close();
    if (!(thrown instanceof CreateRefused)) throw thrown;
    stderr.write(`${thrown.message}\n\n${usage}`);
    return 1;
  }
};
