// Prints how large the project is: lines by package, the longest files and the longest functions.
//   pnpm sizes
// `--check` exits with 1 if the project, or the share of one room, is above its bound.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

/** With some room over what is there. */
const mostLines = 122_000;
/** The largest room's part of all lines. Its schemes do not count. */
const mostShare = 0.18;

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const most = 12;

/** What a program writes, and the suites with which adapters are tested, are no code to maintain here. */
const isApart = (path, text) => /\/src\/(generated|testing)\//.test(path) || text.startsWith("/** Made from ");

/** Files of senders are many and alike. They count, and stand beside their room. */
const isScheme = (path) => path.includes("/src/schemes/");
/** Folders that are rooms of their own: they have one door, which `pnpm boundaries` guards. */
const rooms = ["packages/app/src/operator", "packages/storage-knex/src/tools"];

const filesBelow = (folder) =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesBelow(path);
    return /\.tsx?$/.test(entry.name) ? [path] : [];
  });

const packages = ["packages", "apps"].flatMap((folder) =>
  readdirSync(join(root, folder)).map((name) => `${folder}/${name}`),
);

const functionsIn = (path, text) => {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const found = [];
  const visit = (node, name) => {
    const own = node.name !== undefined && ts.isIdentifier(node.name) ? node.name.text : name;
    if (ts.isFunctionLike(node) && node.body !== undefined) {
      const from = source.getLineAndCharacterOfPosition(node.getStart()).line;
      const to = source.getLineAndCharacterOfPosition(node.end).line;
      found.push({ name: own ?? "(unnamed)", path, lines: to - from + 1, parameters: node.parameters.length });
    }
    node.forEachChild((child) =>
      visit(child, ts.isVariableDeclaration(node) || ts.isPropertyAssignment(node) ? own : undefined),
    );
  };
  visit(source, undefined);
  return found;
};

const roomOf = (own, path) =>
  isScheme(path) ? `${own}/src/schemes` : (rooms.find((room) => path.startsWith(`${room}/`)) ?? own);

const files = packages.flatMap((own) => {
  const source = join(root, own, "src");
  if (!existsSync(source)) return [];
  return filesBelow(source).flatMap((file) => {
    const text = readFileSync(file, "utf8");
    const path = relative(root, file);
    if (isApart(file, text)) return [];
    return [{ room: roomOf(own, path), path, lines: text.split("\n").length - 1, text }];
  });
});
const linesOf = (list) => list.reduce((sum, { lines }) => sum + lines, 0);
const total = linesOf(files);
const line = (...columns) => process.stdout.write(`${columns.join("  ")}\n`);
const percent = (lines) => `${((lines / total) * 100).toFixed(1)} %`;
const row = (name, lines) => line(String(lines).padStart(6), percent(lines).padStart(7), name);

line(`Rooms (of ${total} lines; generated code and contract suites do not count)`);
const sizes = [...new Set(files.map(({ room }) => room))]
  .map((name) => ({ name, lines: linesOf(files.filter(({ room }) => room === name)) }))
  .toSorted((a, b) => b.lines - a.lines);
for (const { name, lines } of sizes) row(name, lines);

const counted = files.filter(({ path }) => !isScheme(path));
line("\nLongest files");
for (const { path, lines } of counted.toSorted((a, b) => b.lines - a.lines).slice(0, most))
  line(String(lines).padStart(6), path);
const functions = counted.flatMap(({ path, text }) => functionsIn(path, text));
line("\nLongest functions");
for (const { name, path, lines } of functions.toSorted((a, b) => b.lines - a.lines).slice(0, most)) {
  line(String(lines).padStart(6), name, path);
}
const wide = functions.filter(({ parameters }) => parameters > 4);
line(`\nFunctions of more than four parameters: ${wide.length}`);
for (const { name, path, parameters } of wide) line(String(parameters).padStart(6), name, path);

const [largest] = sizes.filter(({ name }) => !name.endsWith("/schemes"));
const faults = [
  total > mostLines ? `The project has ${total} lines, ${total - mostLines} above its bound.` : undefined,
  largest.lines > total * mostShare
    ? `${largest.name} has ${percent(largest.lines)} of all lines; its bound is ${mostShare * 100} %.`
    : undefined,
].filter((fault) => fault !== undefined);
if (process.argv.includes("--check") && faults.length > 0) {
  process.stderr.write(
    `\n${faults.join("\n")}\nTake something away, or raise the bound in scripts/sizes.mjs and say why in the commit.\n`,
  );
  process.exitCode = 1;
}
