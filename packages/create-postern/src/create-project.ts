import { randomBytes } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

/** What to make. */
export interface ProjectOptions {
  /** The folder of the project. It must be new or empty. Its last part is the project's name. */
  readonly folder: string;
  /** `sqlite`, or the URL of a database: `postgres://…`, `mysql://…`, `sqlite:./my.db`. */
  readonly database: string;
  /** The senders of webhooks by the names of their schemes, such as `stripe`. At least one. */
  readonly senders: readonly string[];
}

/** The project cannot be made. The message says why, and what to do. */
export class CreateRefused extends Error {
  override readonly name = "CreateRefused";
}

const packageRoot = fileURLToPath(new URL("..", import.meta.url));

/** The packages of a release have one version. */
const versionOfOurs = (): string => {
  const { version } = JSON.parse(readFileSync(join(packageRoot, "package.json"), "utf8"));
  return `^${version}`;
};

const checkName = (name: string): void => {
  if (/^[a-z0-9][a-z0-9._-]{0,99}$/.test(name)) return;
  throw new CreateRefused(`"${name}" is no name of a project: use lower-case letters, digits, - . and _`);
};

const checkSenders = (senders: readonly string[]): void => {
  const wrong = senders.find((sender) => !/^[a-z0-9][a-z0-9-]{0,62}$/.test(sender));
  if (wrong !== undefined) throw new CreateRefused(`"${wrong}" is no sender: name it like stripe or github`);
  if (senders.length === 0) throw new CreateRefused("name at least one sender, such as stripe");
};

const checkDatabase = (database: string): void => {
  if (database === "sqlite" || /^(sqlite|postgres|postgresql|mysql|mariadb):/.test(database)) return;
  throw new CreateRefused("the database is sqlite, or a URL that begins with postgres:// or mysql://");
};

const checkFolder = (folder: string): void => {
  if (existsSync(folder) && readdirSync(folder).length > 0) {
    throw new CreateRefused(`${folder} is not empty; name a new folder`);
  }
};

const variableOf = (sender: string): string => `${sender.toUpperCase().replaceAll("-", "_")}_SECRET`;

const newSecret = (): string => `whsec_${randomBytes(32).toString("base64")}`;

/** The settings of this project, which nobody else may see. */
const environmentOf = ({ database, senders }: ProjectOptions): string =>
  [
    `DATABASE_URL=${database === "sqlite" ? "sqlite:./data/app.db" : database}`,
    "# Tokens and stored secrets depend on it: keep it as it is.",
    `POSTERN_SECRET_KEY=${randomBytes(32).toString("base64")}`,
    "# Made up, so that you can try the senders out. Put here what each sender shows you.",
    ...senders.map((sender) => `${variableOf(sender)}=${newSecret()}`),
    "# How hints write the command line.",
    'CALLED_AS="npm run -s postern --"',
    "",
  ].join("\n");

const manifestOf = (name: string): string => {
  const command = "node --env-file=.env node_modules/postern/bin/postern.mjs";
  const manifest = {
    name,
    version: "0.0.0",
    private: true,
    type: "module",
    engines: { node: ">=20.19" },
    scripts: {
      start: `${command} serve`,
      dev: `${command} dev`,
      test: "node --test",
      // It needs neither a database nor a secret, so it runs in CI as well.
      contract: "node node_modules/postern/bin/postern.mjs contract",
      postern: command,
    },
    dependencies: { postern: versionOfOurs() },
    devDependencies: { "@postern/testing": versionOfOurs() },
  };
  return `${JSON.stringify(manifest, undefined, 2)}\n`;
};

/**
 * Makes the files of a project: a resource, a handler, a test, and the configuration that names
 * them. It installs nothing.
 * @throws CreateRefused for a folder that is not empty, and for a name, a database or a sender that
 *   cannot be used. Nothing is written then.
 */
export const createProject = (options: ProjectOptions): void => {
  const { folder, senders } = options;
  const name = basename(folder);
  checkName(name);
  checkSenders(senders);
  checkDatabase(options.database);
  checkFolder(folder);
  mkdirSync(folder, { recursive: true });
  cpSync(join(packageRoot, "template"), folder, { recursive: true });
  // npm leaves a file of this name out of packages.
  renameSync(join(folder, "gitignore"), join(folder, ".gitignore"));
  const fill = (path: string): void => {
    const text = readFileSync(join(folder, path), "utf8");
    const providers = senders.map((sender) => `"${sender}": process.env.${variableOf(sender)}`).join(", ");
    const filled = text
      .replaceAll('title: "PROJECT"', `title: "${name.slice(0, 60)}"`)
      .replaceAll("PROJECT", name)
      .replaceAll("TODAY", new Date().toISOString().slice(0, 10))
      .replaceAll("SENDER", senders[0] ?? "")
      .replaceAll(/(\w+): PROVIDERS/g, `$1: { ${providers.replaceAll(/"(\w+)":/g, "$1:")} }`);
    writeFileSync(join(folder, path), filled);
  };
  for (const path of ["README.md", "postern.config.js", "handlers/mark-paid.js", "test/mark-paid.test.js"]) fill(path);
  writeFileSync(join(folder, ".env"), environmentOf(options), { mode: 0o600 });
  writeFileSync(join(folder, "package.json"), manifestOf(name));
};
