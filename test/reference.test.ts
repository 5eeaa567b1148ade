import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { expect, test } from "vitest";
import type { CommandTree } from "../packages/cli/src/command-tree.ts";
import { wholeCommandLine } from "./documented-blocks.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll(/\s+/g, " ").trim();
/** What looks like a tag is text. */
const prose = (text: string): string => cell(text.replaceAll(/<([a-z][^<>`]*)>/g, "`<$1>`"));

const optionsTable = (options: CommandTree["options"]): readonly string[] =>
  options.length === 0
    ? []
    : [
        "| option | what it does |",
        "|---|---|",
        ...options.map(({ flags, description }) => `| \`${cell(flags)}\` | ${prose(description)} |`),
        "",
      ];

const commandParts = ({ command, description, options, commands, ...shown }: CommandTree): readonly string[] => {
  const usage = shown.usage.replace(/^\[options\] ?/, "");
  const isGroup = commands.length > 0 && options.length === 0;
  const level = command.split(" ").length === 2 ? "##" : "###";
  return [
    `${level} ${command}`,
    "",
    `${prose(description)}.`.replace(/^./, (first) => first.toUpperCase()),
    "",
    ...(isGroup || usage.startsWith("[command]") ? [] : ["```sh", `${command} ${usage}`.trim(), "```", ""]),
    ...optionsTable(options),
    ...commands.flatMap(commandParts),
  ];
};

const commandsPage = async (): Promise<string> => {
  const { commands, options } = await wholeCommandLine(root);
  return [
    "# Command line",
    "",
    "Every command of `postern`, with its options. `postern <command> --help` shows the same, and",
    "`postern help --json` prints all of it for programs.",
    "[@postern/cli](../packages/cli/README.md) says what the commands are for, in which form they take",
    "times, and what the exit codes mean. In a clone of the repository write `./postern`.",
    "",
    "This page is generated from the commands. After a change there, run",
    "`pnpm test -u --project workspace`.",
    "",
    "These options go with every command:",
    "",
    ...optionsTable(options),
    ...commands.flatMap(commandParts),
  ].join("\n");
};

test("docs/cli.md has every command and option", async () => {
  await expect(await commandsPage()).toMatchFileSnapshot("../docs/cli.md");
}, 60_000);

const portsFolder = join(root, "packages/core/src/ports");

/** Every interface of the ports, by its name. */
const interfaces: ReadonlyMap<string, ts.InterfaceDeclaration> = new Map(
  readdirSync(portsFolder)
    .filter((file) => file.endsWith(".ts"))
    .flatMap((file) => {
      const text = readFileSync(join(portsFolder, file), "utf8");
      return ts
        .createSourceFile(file, text, ts.ScriptTarget.Latest, true)
        .statements.filter(ts.isInterfaceDeclaration)
        .map((one): [string, ts.InterfaceDeclaration] => [one.name.text, one]);
    }),
);

const docOf = (node: ts.Node): string =>
  ts
    .getJSDocCommentsAndTags(node)
    .filter(ts.isJSDoc)
    .map(({ comment, tags = [] }) =>
      [
        ts.getTextOfJSDocComment(comment) ?? "",
        ...tags.map((tag) => `@${tag.tagName.text} ${ts.getTextOfJSDocComment(tag.comment) ?? ""}`),
      ]
        .join(" ")
        .replaceAll("@throws", "It throws"),
    )
    .join(" ");

/** The interfaces that the members of an interface have as their types. */
const membersOf = (name: string): readonly { readonly member: string; readonly type: string }[] =>
  [...(interfaces.get(name)?.members ?? [])].flatMap((member) =>
    ts.isPropertySignature(member) && member.type !== undefined
      ? [{ member: member.name.getText(), type: member.type.getText() }]
      : [],
  );

/** What a member promises; a member that is a store itself says it in its interface. */
const promiseOf = (member: ts.TypeElement): string => {
  const own = docOf(member);
  if (own !== "" || !ts.isPropertySignature(member)) return own;
  const inner = interfaces.get(member.type?.getText() ?? "");
  return inner === undefined ? "" : docOf(inner);
};

const portPart = (
  level: string,
  { member, type }: { readonly member: string; readonly type: string },
): readonly string[] => {
  const found = interfaces.get(type);
  if (found === undefined) return [];
  return [
    `${level} ${member}: ${type}`,
    "",
    prose(docOf(found)),
    "",
    "| member | promise |",
    "|---|---|",
    ...found.members.map((one) => {
      const parameters = ts.isMethodSignature(one)
        ? `(${one.parameters.map(({ name }) => name.getText()).join(", ")})`
        : "";
      return `| \`${cell(`${one.name?.getText()}${parameters}`)}\` | ${prose(promiseOf(one))} |`;
    }),
    "",
  ];
};

const portsPage = (): string => {
  const ports = membersOf("Ports");
  const stores = membersOf("Stores").filter(({ type }) => interfaces.has(type));
  return [
    "# Ports",
    "",
    "A port is an interface for everything that Postern needs from outside. Each has an adapter in memory",
    "(`@postern/core/memory`), a real one, and a contract that says in code what every adapter must do",
    "(`@postern/core/testing`). `openPostern({ ports: { … } })` replaces any of them.",
    "[Adapters of your own](adapters.md) shows how to write one.",
    "",
    "This page is generated from the docstrings in `packages/core/src/ports`. After a change there, run",
    "`pnpm test -u --project workspace`.",
    "",
    ...ports.flatMap((port) => portPart("##", port)),
    "## The stores",
    "",
    "These are the members of a transaction. A handler gets them from `commit`.",
    "",
    ...stores.flatMap((store) => portPart("###", store)),
  ].join("\n");
};

test("docs/ports.md has every port and store, with what its members promise", async () => {
  await expect(portsPage()).toMatchFileSnapshot("../docs/ports.md");
});
