import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import type { CommandTree } from "../packages/cli/src/command-tree.ts";
import { runCli } from "../packages/cli/src/run-cli.ts";

const loadCommandLine = async (directory: string): Promise<CommandTree> => {
  const [stream, stdout] = [new PassThrough(), new PassThrough()];
  const printed = text(stdout);
  await runCli(["help", "--json"], { stdin: stream, stdout, stderr: stream, environment: {}, directory });
  stdout.end();
  return JSON.parse(await printed);
};

let loading: Promise<CommandTree> | undefined;
/** The whole command line, as `postern help --json` prints it. Loading it takes seconds, so it happens once. */
export const wholeCommandLine = (directory: string): Promise<CommandTree> => {
  loading ??= loadCommandLine(directory);
  return loading;
};

/** What a block of a page may name. */
export interface Known {
  readonly root: string;
  readonly commands: CommandTree;
  /** Variables of a server's environment. */
  readonly variables: readonly string[];
  /** An OpenAPI document with the resources of the examples. */
  readonly document: {
    readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly parameters?: readonly unknown[] }>>>>;
  };
  readonly packages: readonly string[];
}

type Faults = readonly string[];

/** `a b "c d" 'e'` as words, with what stands in quotes in one of them. */
const wordsOf = (line: string): readonly string[] =>
  [...line.matchAll(/(?:[^\s"']+|"[^"]*"|'[^']*')+/g)].map(([word]) => word.replaceAll(/^['"]|['"]$/g, ""));

/** The commands of a block, one each, without comments. */
const commandsIn = (code: string): readonly string[] =>
  code
    .replaceAll("\\\n", " ")
    .split("\n")
    .map((line) => line.replace(/(^|\s+)# .*$/, "").replace(/ > [\w.-]+$/, ""))
    .map((line) => line.replaceAll(/\w+=\$\(([^)]*)\)/g, "$1"))
    // In quotes these are part of a word.
    .flatMap((line) => line.split(/ (?:&&|\|) (?=(?:[^']*'[^']*')*[^']*$)/))
    .map((line) => line.trim())
    .filter((line) => line !== "");

const ofSender =
  /^WEBHOOK_[A-Z0-9_]+_(SCHEME|SECRET|PUBLIC_KEY|JWKS_URL|ALLOW_SHORT|DEDUPE|DEDUPE_WINDOW|REPLAY_ON_RESEND)$/;
/** Variables of the pages themselves, of the command line, and of the examples. */
const ofPages = [
  "B",
  "J",
  "ID",
  "TOKEN",
  "CLIENT_ID",
  "CLIENT_SECRET",
  "POSTERN_SERVER",
  "POSTERN_TOKEN",
  "STRIPE_SECRET",
  "NEXT_MANUAL_SIG_HANDLE",
  "NODE_OPTIONS",
  "PROFILE",
];

export const variableFaults = (name: string, { variables }: Pick<Known, "variables">): Faults => {
  const plain = name.replace(/_FILE$/, "");
  const isKnown = [name, plain].some((one) => variables.includes(one) || ofSender.test(one) || ofPages.includes(one));
  return isKnown ? [] : [`there is no variable ${name}`];
};

const optionOf = (tree: CommandTree, word: string) =>
  tree.options.find(({ flags }) => flags.split(/[ ,]+/).includes(word));

/** A command line of `postern`, without its first word. */
const posternFaults = (words: readonly string[], whole: CommandTree): Faults => {
  let tree = whole;
  const given: string[] = [];
  const faults: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? "";
    const below = tree.commands.find(({ command }) => command.endsWith(` ${word}`));
    if (word.startsWith("-")) {
      const [flag = "", value] = word.split("=");
      const option = optionOf(tree, flag) ?? optionOf(whole, flag) ?? optionOf(migrateUp(tree), flag);
      if (option === undefined) faults.push(`"${tree.command}" has no option ${flag}`);
      else if (/[<[]/.test(option.flags) && value === undefined) at += 1;
      const choice = value ?? words[at];
      if (option?.choices?.includes(choice ?? "") === false) faults.push(`${flag} does not take ${choice}`);
    } else if (below !== undefined && given.length === 0) tree = below;
    else given.push(word);
  }
  for (const [at, { name, choices, several }] of tree.arguments.entries()) {
    const wrong = given.slice(at, several ? undefined : at + 1).find((one) => choices?.includes(one) === false);
    if (wrong !== undefined && !/^</.test(wrong)) faults.push(`<${name}> is not ${wrong}`);
  }
  const least = tree.arguments.filter(({ required }) => required).length;
  const most = tree.arguments.some(({ several }) => several) ? Number.POSITIVE_INFINITY : tree.arguments.length;
  const isGroup = tree.commands.length > 0 && !tree.usage.includes("[command]");
  if (isGroup || given.length < least || given.length > most)
    faults.push(`"${tree.command}" is no command with ${given.length} arguments: ${tree.usage}`);
  return faults;
};

/** `migrate` alone is `migrate up`. */
const migrateUp = (tree: CommandTree): CommandTree =>
  tree.commands.find(({ command }) => command === "postern migrate up") ?? tree;

const npmFaults = ([verb = "", ...rest]: readonly string[], known: Known): Faults => {
  const names = rest.filter((word) => !word.startsWith("-"));
  const scripts = Object.keys(JSON.parse(readFileSync(join(known.root, "package.json"), "utf8")).scripts);
  if (verb === "run") {
    const [script = "", ...words] = names;
    // A script of the project that create-postern makes.
    if (script === "contract") return posternFaults(["contract", ...words], known.commands);
    if (script !== "postern") return scripts.includes(script) ? [] : [`npm has no script "${script}"`];
    return posternFaults(
      rest.slice(rest.indexOf("--") + 1).slice(words.length > 0 && !rest.includes("--") ? 1 : 0),
      known.commands,
    );
  }
  if (verb === "start" || verb === "test") return scripts.includes(verb) ? [] : [`npm has no script "${verb}"`];
  if (verb === "create") return names[0]?.startsWith("postern@") === true ? [] : [`npm create ${names[0]}`];
  if (verb !== "install" && verb !== "i") return [`npm ${verb} is not known here`];
  if (rest.includes("--prefix"))
    return existsSync(join(known.root, names[0] ?? "", "package.json")) ? [] : [`${names[0]} has no packages`];
  return names.flatMap((name) =>
    known.packages.includes(name.replace(/(?!^)@[\d.]+$/, ""))
      ? []
      : [`no page or package here knows the package "${name}"`],
  );
};

const nameOf = (parameter: unknown, document: Known["document"]): string => {
  const { name, $ref } = Object(parameter);
  if (typeof $ref !== "string") return String(name);
  const found = $ref
    .split("/")
    .slice(1)
    .reduce((part: unknown, key) => Reflect.get(Object(part), key), Object(document));
  return String(Object(found).name);
};

const curlFaults = (words: readonly string[], document: Known["document"]): Faults => {
  const url = words.find((word) => /^(\$\w+|http:)\//.test(word))?.replaceAll(/^"|"$/g, "") ?? "";
  if (url === "$POSTERN_PUBLIC_URL/oauth/token") return [];
  const { pathname, searchParams } = new URL(
    url.replace(/^\$B|^http:\/\/localhost:3000\/api(\/v\d+)?/, "http://localhost"),
    "http://localhost",
  );
  const method = words.includes("-X") ? `${words[words.indexOf("-X") + 1]}` : words.includes("-d") ? "POST" : "GET";
  const asked = decodeURIComponent(pathname).split("/");
  const paths = Object.entries(document.paths).filter(([path]) => {
    const parts = path.split("/");
    return parts.length === asked.length && parts.every((part, at) => part === asked[at] || part.startsWith("{"));
  });
  const [exact] = paths.toSorted(([one], [other]) => one.split("{").length - other.split("{").length);
  const operation = exact?.[1][method.toLowerCase()];
  if (operation === undefined) return [`there is no operation ${method} ${pathname}`];
  const names = (operation.parameters ?? []).map((one) => nameOf(one, document));
  return [...searchParams.keys()].flatMap((name) =>
    names.includes(name) ? [] : [`${method} ${pathname} has no parameter ${name}`],
  );
};

/** The first word that is no option and no value of one: a program of the repository. */
const nodeFaults = (words: readonly string[], root: string): Faults => {
  const file = words.find((word, at) => /\.(m?js|ts)$/.test(word) && !words[at - 1]?.startsWith("--import"));
  const source = file?.replace("/dist/", "/src/").replace(/\.js$/, ".ts") ?? "";
  return [file ?? "", source].some((path) => path !== "" && existsSync(join(root, path)))
    ? []
    : [`there is no ${file}`];
};

/** Programs of the system, of which nothing is ours. */
const ofSystem = ["cd", "sed", "mkdir", "openssl", "echo"];

const commandFaults = (line: string, known: Known): Faults => {
  const words = wordsOf(line);
  const from = words.findIndex((word) => !/^[A-Z][A-Z0-9_]*=/.test(word) && word !== "export");
  const set = words.slice(0, from === -1 ? words.length : from).filter((word) => word !== "export");
  const faults = set.flatMap((word) => variableFaults(word.split("=")[0] ?? "", known));
  if (from === -1) return faults;
  const [program = "", ...rest] = words.slice(from);
  if (program === "postern" || program === "./postern") return [...faults, ...posternFaults(rest, known.commands)];
  if (program === "npm") return [...faults, ...npmFaults(rest, known)];
  if (program === "curl") return [...faults, ...curlFaults(rest, known.document)];
  if (program === "node") return [...faults, ...nodeFaults(rest, known.root)];
  if (program === "npx" && rest[0] === "postern") return [...faults, ...posternFaults(rest.slice(1), known.commands)];
  if (program === "npx")
    return [...faults, ...(known.packages.includes(rest[0] ?? "") ? [] : [`npx ${rest[0]} is not known here`])];
  if (program === "pnpm") return [...faults, ...npmFaults(["run", ...rest.slice(0, 1)], known)];
  if (program.startsWith("."))
    return [...faults, ...(existsSync(join(known.root, program)) ? [] : [`there is no ${program}`])];
  return ofSystem.includes(program) ? faults : [...faults, `nothing here knows the program ${program}`];
};

/** A unit of systemd: sections, settings, and variables of a server. */
const iniFaults = (code: string, known: Known): Faults =>
  code.split("\n").flatMap((line) => {
    if (/^(#.*|\[[A-Z]\w+\]|)$/.test(line)) return [];
    const [, name, value = ""] = /^([A-Z]\w+)=(.*)$/.exec(line) ?? [];
    if (name === undefined) return [`"${line}" is neither a section nor a setting`];
    return name !== "Environment"
      ? []
      : value.split(" ").flatMap((one) => variableFaults(one.split("=")[0] ?? "", known));
  });

const jsonFaults = (code: string): Faults => {
  try {
    JSON.parse(code);
    return [];
  } catch (thrown) {
    return [String(thrown)];
  }
};

/** What is wrong in a block; `undefined` for a language that nothing checks here. */
export const faultsIn = (language: string, code: string, known: Known): Faults | undefined => {
  if (language === "sh") return commandsIn(code).flatMap((line) => commandFaults(line, known));
  if (language === "ini") return iniFaults(code, known);
  if (language === "json") return jsonFaults(code);
  // What a command prints: the commands that it names.
  if (language === "text") return [...code.matchAll(/postern .*/g)].flatMap(([line]) => commandFaults(line, known));
  return undefined;
};

/** The pages of the project: documentation and READMEs. */
export const pagesIn = (root: string, folder = ""): readonly string[] =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (/^(node_modules|dist|coverage|\..*)$/.test(entry.name) || path === join("docs", "adr")) return [];
    return entry.isDirectory() ? pagesIn(root, path) : path.endsWith(".md") ? [path] : [];
  });

export const blocksIn = (text: string): readonly { readonly language: string; readonly code: string }[] =>
  [...text.matchAll(/^( *)```(\w*)[^\n]*\n(.*?)^ *```$/gms)].map(([, margin = "", language = "", code = ""]) => ({
    language,
    code: code.replaceAll(new RegExp(`^${margin}`, "gm"), ""),
  }));
