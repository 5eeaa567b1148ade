/**
 * The tables of docs/configuration.md, from the table of settings and its docstrings.
 * `node --conditions=@postern/source --import tsx scripts/settings.ts` writes them. A test fails if
 * the page differs from what this makes.
 */
import ts from "typescript";
import { senderSettings, senderVariables } from "../src/settings/senders.ts";
import type { Setting, Table } from "../src/settings/setting.ts";
import { fileSettings, serverSettings, sharedSettings } from "../src/settings/settings.ts";

/** What a setting sets, and its default where that is no value. */
interface Docstring {
  readonly says: string;
  readonly standard: string | undefined;
}

const docstringBefore = (node: ts.Node, source: ts.SourceFile): Docstring | undefined => {
  const range = ts.getLeadingCommentRanges(source.text, node.pos)?.at(-1);
  const comment = range === undefined ? "" : source.text.slice(range.pos, range.end);
  if (!comment.startsWith("/**")) return undefined;
  const text = comment
    .replaceAll(/^\/\*\*|\*\/$/g, "")
    .replaceAll(/^\s*\*/gm, "")
    .replaceAll(/\s+/g, " ");
  const [says = "", standard] = text.split(" @defaultValue ").map((part) => part.trim());
  return { says, standard };
};

/**
 * The docstrings of the entries in the tables of a source, each by its table and its name, such as
 * `sharedSettings.mail.url`.
 */
export const docstringsIn = (text: string): ReadonlyMap<string, Docstring> => {
  const source = ts.createSourceFile("settings.ts", text, ts.ScriptTarget.Latest, true);
  const tables = new Map<string, ts.ObjectLiteralExpression>();
  const found = new Map<string, Docstring>();
  const objectIn = (node: ts.Node | undefined): ts.ObjectLiteralExpression | undefined => {
    if (node === undefined) return undefined;
    if (ts.isSatisfiesExpression(node)) return objectIn(node.expression);
    if (ts.isIdentifier(node)) return tables.get(node.text);
    return ts.isObjectLiteralExpression(node) ? node : undefined;
  };
  const read = (table: ts.ObjectLiteralExpression, within: string): void => {
    for (const entry of table.properties) {
      if (!ts.isPropertyAssignment(entry)) continue;
      const path = `${within}.${entry.name.getText(source).replaceAll('"', "")}`;
      const docstring = docstringBefore(entry, source);
      if (docstring !== undefined) found.set(path, docstring);
      const { initializer } = entry;
      if (!ts.isCallExpression(initializer) || initializer.expression.getText(source) !== "group") continue;
      const members = objectIn(initializer.arguments[0]);
      if (members !== undefined) read(members, path);
    }
  };
  for (const statement of source.statements.filter(ts.isVariableStatement)) {
    for (const { name, initializer } of statement.declarationList.declarations) {
      const table = objectIn(initializer);
      if (table === undefined) continue;
      tables.set(name.getText(source), table);
      read(table, name.getText(source));
    }
  }
  return found;
};

const row = (...cells: readonly string[]): string =>
  `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;

const code = (text: string): string => (text === "" ? "" : `\`${text}\``);

const defaultOf = ({ default: standard, embedded }: Setting, docstring: Docstring | undefined): string => {
  const shown = [standard ?? ""].flat().join(",");
  const usual = docstring?.standard ?? (shown === "" ? "none" : code(shown));
  return embedded === undefined ? usual : `${usual}; ${code(String(embedded))} in \`openPostern\``;
};

/** The settings that are shown one by one: those of a table, and of its groups that the environment sets. */
const entriesOf = (table: Table, within = ""): readonly (readonly [string, Setting])[] =>
  Object.entries(table).flatMap(([name, setting]) =>
    setting.members !== undefined && Object.values(setting.members).some(({ env }) => env !== undefined)
      ? entriesOf(setting.members, `${within}${name}.`)
      : [[within + name, setting] as const],
  );

type Docstrings = ReadonlyMap<string, Docstring>;

/** Rows of settings that the environment sets. `isOption` says whether `openPostern` has them, too. */
export const variableRows = (
  name: string,
  table: Table,
  docstrings: Docstrings,
  isOption: boolean,
): readonly string[] =>
  entriesOf(table).map(([path, setting]) => {
    const docstring = docstrings.get(`${name}.${path}`);
    return row(
      code(setting.env ?? ""),
      isOption ? code(path) : "",
      defaultOf(setting, docstring),
      docstring?.says ?? "",
    );
  });

/** Rows of members of the configuration file. */
export const memberRows = (name: string, table: Table, docstrings: Docstrings): readonly string[] =>
  Object.keys(table).map((member) => row(code(member), docstrings.get(`${name}.${member}`)?.says ?? ""));

/** Rows of settings of each sender. */
const senderRows = (name: string, table: Table, docstrings: Docstrings, isMember: boolean): readonly string[] =>
  Object.entries(table).map(([member, setting]) => {
    const docstring = docstrings.get(`${name}.${member}`);
    const variable = setting.env === undefined ? "" : code(`WEBHOOK_<NAME>_${setting.env}`);
    return row(variable, isMember ? code(member) : "", defaultOf(setting, docstring), docstring?.says ?? "");
  });

const head = (...names: readonly string[]): readonly string[] => [row(...names), `|${"---|".repeat(names.length)}`];

/** The page with its tables as they are now. `settings` and `senders` are the sources of the tables. */
export const settingsPage = (page: string, settings: string, senders: string): string => {
  const [own, ofSenders] = [docstringsIn(settings), docstringsIn(senders)];
  const { outsideIssuer } = fileSettings;
  const tables: Readonly<Record<string, readonly string[]>> = {
    variables: [
      ...head("variable", "option of `openPostern`", "default", "what it sets"),
      ...variableRows("sharedSettings", sharedSettings, own, true),
      ...variableRows("serverSettings", serverSettings, own, false),
      ...variableRows("fileSettings", { outsideIssuer }, own, true),
    ],
    senders: [
      ...head("variable", "member of a provider", "default", "what it sets"),
      ...senderRows("senderSettings", senderSettings, ofSenders, true),
      ...senderRows("senderVariables", senderVariables, ofSenders, false),
    ],
    members: [...head("member", "what it sets"), ...memberRows("fileSettings", fileSettings, own)],
  };
  return Object.entries(tables).reduce(
    (text, [name, rows]) =>
      text.replace(
        new RegExp(`(<!-- ${name}: .*? -->\\n\\n)[^]*?(?=\\n\\n|\\n*$)`),
        (_, mark: string) => mark + rows.join("\n"),
      ),
    page,
  );
};
