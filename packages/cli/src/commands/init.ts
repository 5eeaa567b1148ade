import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { CommandError, exitCodes, hint, isConfirmed, type Terminal } from "../terminal.ts";

interface InitFlags {
  readonly force?: boolean;
  readonly yes?: boolean;
}

const configFiles = ["postern.config.ts", "postern.config.mjs", "postern.config.js"];

const config = (
  isTyped: boolean,
): string => `${isTyped ? "" : "// @ts-check\n"}import { defineConfig, on } from "postern";

export default defineConfig({
  // Who sends webhooks. A scheme's name is enough, or { scheme, secret, … } for any other name.
  providers: {
    stripe: process.env.STRIPE_SECRET,
  },

  // What happens to them, in the background, again until it succeeds.
  handlers: [
    on("stripe", "invoice.*", async (event, { log }) => {
      log("info", "an invoice changed", { id: event.eventId });
    }),
  ],

  // What you store; an API follows from each: import { defineResource } from "postern".
  resources: [],
});
`;

const newSecret = (): string => randomBytes(32).toString("base64");

interface Setting {
  readonly name: string;
  readonly why: string;
  readonly example: string;
  readonly value: string;
}

/** The settings of a project. Those that are secret are made anew for each. */
const settings = (): readonly Setting[] => [
  {
    name: "DATABASE_URL",
    why: "sqlite:, postgres:// or mysql://",
    example: "sqlite:./data/app.db",
    value: "sqlite:./data/app.db",
  },
  {
    name: "POSTERN_SECRET_KEY",
    why: "Tokens and stored secrets depend on it: keep it as it is. 32 bytes in base64.",
    example: "",
    value: newSecret(),
  },
  {
    name: "STRIPE_SECRET",
    why: "Made up, so that you can try it out. Put here what the sender shows you.",
    example: "",
    value: `whsec_${newSecret()}`,
  },
];

const lines = (wanted: readonly Setting[], text: (one: Setting) => string): string =>
  wanted.map((one) => `# ${one.why}\n${one.name}=${text(one)}\n`).join("");

/** A file that is to be written, and how it differs from what is there. */
interface Written {
  readonly file: string;
  readonly text: string;
  readonly what: "new" | "replaced" | "added";
}

/** The settings that a file does not have yet, below what it has. */
const withSettings = (path: string, text: (one: Setting) => string, all: readonly Setting[]): string | undefined => {
  const before = existsSync(path) ? readFileSync(path, "utf8") : "";
  const missing = all.filter(({ name }) => !new RegExp(`^\\s*(export\\s+)?${name}\\s*=`, "m").test(before));
  if (missing.length === 0) return undefined;
  return `${before}${before === "" || before.endsWith("\n") ? "" : "\n"}${lines(missing, text)}`;
};

const planned = (directory: string, force: boolean): readonly Written[] => {
  const there = configFiles.find((name) => existsSync(join(directory, name)));
  if (there !== undefined && !force) {
    throw new CommandError(
      exitCodes.notConfirmed,
      `${there} is there already; nothing was written. Say --force to replace it.`,
    );
  }
  const isTyped = existsSync(join(directory, "tsconfig.json"));
  const file = there ?? (isTyped ? "postern.config.ts" : "postern.config.mjs");
  const all = settings();
  const written: Written[] = [
    { file, text: config(file.endsWith(".ts")), what: there === undefined ? "new" : "replaced" },
  ];
  for (const [name, text] of [
    [".env", ({ value }: Setting) => value],
    [".env.example", ({ example }: Setting) => example],
  ] as const) {
    const path = join(directory, name);
    const whole = withSettings(path, text, all);
    if (whole !== undefined) written.push({ file: name, text: whole, what: existsSync(path) ? "added" : "new" });
  }
  const ignored = join(directory, ".gitignore");
  const before = existsSync(ignored) ? readFileSync(ignored, "utf8") : "";
  const missing = [".env", "data"].filter(
    (line) => !before.split(/\r?\n/).some((one) => one.replaceAll("/", "") === line),
  );
  if (missing.length > 0) {
    const text = `${before}${before === "" || before.endsWith("\n") ? "" : "\n"}${missing.join("\n")}\n`;
    written.push({ file: ".gitignore", text, what: existsSync(ignored) ? "added" : "new" });
  }
  return written;
};

const words = { new: "new", replaced: "replaced", added: "settings are added below" } as const;

const next = `
Next:
  npm install postern                       unless your project has it
  set -a; . ./.env; set +a                  the settings of .env, or node --env-file=.env
  postern migrate                           makes the tables
  postern serve                             takes webhooks at /api/webhooks/stripe
  postern send stripe                       a first webhook, in a second terminal
`;

const notes = `
It writes a configuration with comments, the settings that .env and .env.example lack, with a secret
key made for this project, and keeps .env and the database out of git. It replaces no file without
--force, and changes no setting that is there. \`npm create postern\` makes a whole new project.`;

/** `postern init` */
export const addInitCommand = (init: Command, terminal: Terminal): void => {
  init
    .option("--force", "replace a configuration that is there")
    .option("--yes", "ask nothing")
    .addHelpText("after", notes)
    .action(async ({ force = false, yes = false }: InitFlags) => {
      const { directory, stdout } = terminal;
      if (!existsSync(join(directory, "package.json"))) {
        throw new CommandError(
          exitCodes.notFound,
          "There is no package.json here. Go to the folder of your project, or make a new one with: npm create postern@latest",
        );
      }
      const files = planned(directory, force);
      stdout.write(files.map(({ file, what }) => `  ${file}: ${words[what]}\n`).join(""));
      if (!yes && !(await isConfirmed(terminal, "Write these files?"))) {
        throw new CommandError(exitCodes.notConfirmed, "Nothing was written; say --yes to do it.");
      }
      for (const { file, text } of files)
        writeFileSync(join(directory, file), text, { mode: file === ".env" ? 0o600 : 0o644 });
      stdout.write(hint(next, terminal));
    });
};
