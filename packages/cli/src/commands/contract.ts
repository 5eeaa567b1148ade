import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Difference, openApiDifferences } from "@postern/rest";
import type { Command } from "commander";
import { type DeclaredApi, declaredApi } from "../contract/declared-api.ts";
import { CommandError, counted, exitCodes, isConfirmed, type Terminal } from "../terminal.ts";

interface Options {
  readonly folder: string;
}

const fileOf = ({ directory }: Terminal, { folder }: Options, version: string): string =>
  join(resolve(directory, folder), `${version}.json`);

const textOf = (document: object): string => `${JSON.stringify(document, null, 2)}\n`;

const shown = (value: unknown): string => {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
};

const lineOf = ({ kind, target, breaking, what, from, to }: Difference): string => {
  const { type, operation, location, name } = target;
  const place = [operation, location, name].filter((part) => part !== undefined && part !== operation);
  const where = [type, operation, ...place].filter((part) => part !== undefined).join(" ");
  const how = kind === "changed" ? `: ${what} was ${shown(from)}, is ${shown(to)}` : "";
  return `  ${breaking ? "breaks" : "differs"}  ${kind} ${where}${how}\n`;
};

/** @throws CommandError for a file that is no document. */
const recordedIn = (file: string): Readonly<Record<string, unknown>> => {
  try {
    return Object(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    throw new CommandError(exitCodes.usage, `${file} cannot be read as JSON; write it anew with --force.`);
  }
};

/** The differences between what is recorded and what is declared now. */
const differencesOf = (file: string, api: DeclaredApi, version: string): readonly Difference[] =>
  // As it would be read from a file, too.
  openApiDifferences(recordedIn(file), JSON.parse(JSON.stringify(api.documentOf(version))));

const addRecord = (contract: Command, terminal: Terminal): void => {
  contract
    .command("record [version]")
    .description("write down what a version promises, which makes it a released one (default: the newest)")
    .option("--folder <folder>", "where the documents are", "contracts")
    .option("--force", "write it anew even if that breaks its clients; asks first")
    .option("--yes", "do not ask")
    .action(async (given: string | undefined, options: Options & { force?: boolean; yes?: boolean }) => {
      const api = await declaredApi(terminal);
      const version = given ?? api.newest;
      const file = fileOf(terminal, options, version);
      const document = api.documentOf(version);
      if (existsSync(file)) {
        if (options.force !== true) refuseBreaking(differencesOf(file, api, version), version);
        else if (options.yes !== true) await requireYes(terminal, version);
      }
      mkdirSync(resolve(terminal.directory, options.folder), { recursive: true });
      writeFileSync(file, textOf(document));
      terminal.stdout.write(`Recorded ${version} in ${join(options.folder, `${version}.json`)}.\n`);
    });
};

/** @throws CommandError for a difference that breaks clients. */
const refuseBreaking = (differences: readonly Difference[], version: string): void => {
  const breaking = differences.filter((one) => one.breaking);
  if (breaking.length === 0) return;
  throw new CommandError(
    exitCodes.failed,
    `${breaking.map(lineOf).join("")}This breaks clients of ${version}, which is recorded. Make it a VersionChange of the next version. If ${version} was never released, record it with --force.`,
  );
};

const requireYes = async (terminal: Terminal, version: string): Promise<void> => {
  const question = `${version} is recorded, so it counts as released. Write its contract anew? Its clients may break.`;
  if (await isConfirmed(terminal, question)) return;
  throw new CommandError(exitCodes.notConfirmed, "Nothing was changed; add --yes to do it without being asked.");
};

const addCheck = (contract: Command, terminal: Terminal): void => {
  contract
    .command("check")
    .description("compare every recorded version with the application; exits with 1 and the differences if one changed")
    .option("--folder <folder>", "where the documents are", "contracts")
    .option("--json", "print { versions } as JSON")
    .action(async (options: Options & { json?: boolean }) => {
      const folder = resolve(terminal.directory, options.folder);
      const names = existsSync(folder) ? readdirSync(folder) : [];
      const recorded = names.filter((name) => name.endsWith(".json")).map((name) => name.slice(0, -5));
      const api = await declaredApi(terminal);
      const gone = recorded.filter((version) => !api.versions.includes(version));
      const versions = api.versions
        .filter((version) => recorded.includes(version))
        .map((version) => ({ version, differences: differencesOf(fileOf(terminal, options, version), api, version) }));
      if (options.json === true) {
        const all = [...versions, ...gone.map((version) => ({ version, differences: [], gone: true }))];
        terminal.stdout.write(`${JSON.stringify({ versions: all })}\n`);
      } else {
        for (const { version, differences } of versions) {
          terminal.stdout.write(`${version}: ${sentenceOf(differences)}\n${differences.map(lineOf).join("")}`);
        }
        if (recorded.length === 0) {
          terminal.stdout.write("No version is recorded yet. When you release one: postern contract record\n");
        }
      }
      refuse(
        versions.flatMap(({ version, differences }) => (differences.length === 0 ? [] : [version])),
        gone,
      );
    });
};

const sentenceOf = (differences: readonly Difference[]): string => {
  const breaking = differences.filter((one) => one.breaking).length;
  if (differences.length === 0) return "as recorded";
  return `${counted(differences.length, "difference")}, of which ${breaking === 0 ? "none breaks" : `${breaking} break`} clients`;
};

/** @throws CommandError if a recorded version is not what it was. */
const refuse = (changed: readonly string[], gone: readonly string[]): void => {
  const sentences = [
    ...changed.map(
      (version) =>
        `${version} is not what was released. Make what differs a VersionChange of the next version; what only adds you may record: postern contract record ${version}`,
    ),
    ...gone.map(
      (version) => `${version} is recorded, and the application does not have it. If that is meant, delete its file.`,
    ),
  ];
  if (sentences.length > 0) throw new CommandError(exitCodes.failed, sentences.join("\n"));
};

/** `postern contract …` */
export const addContractCommands = (contract: Command, terminal: Terminal): void => {
  addRecord(contract, terminal);
  addCheck(contract, terminal);
};
