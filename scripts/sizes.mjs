// Prints how large the project is: lines by package, the longest files and the longest functions.
//   pnpm sizes
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const most = 12;

const filesBelow = (folder) =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return ["node_modules", "dist", "generated"].includes(entry.name) ? [] : filesBelow(path);
    return entry.name.endsWith(".ts") ? [path] : [];
  });

const rooms = ["packages", "apps"].flatMap((folder) =>
  readdirSync(join(root, folder)).map((name) => `${folder}/${name}`),
);

/**
 * Scheme files, contract suites and in-memory adapters are many and alike, so they are counted
 * separately.
 */
const isApart = (path) => /\/src\/(schemes|testing|memory)\//.test(path);

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

const files = rooms.flatMap((room) => {
  try {
    return filesBelow(join(root, room, "src")).map((path) => {
      const text = readFileSync(path, "utf8");
      return { room, path: relative(root, path), lines: text.split("\n").length - 1, text };
    });
  } catch {
    return [];
  }
});
const counted = files.filter(({ path }) => !isApart(path));
const total = counted.reduce((sum, { lines }) => sum + lines, 0);
const line = (...columns) => process.stdout.write(`${columns.join("  ")}\n`);

line(`Rooms (of ${total} lines; schemes, contract suites and in-memory adapters apart)`);
const sizeOf = (room, list) => list.filter((file) => file.room === room).reduce((sum, { lines }) => sum + lines, 0);
for (const room of rooms.toSorted((a, b) => sizeOf(b, counted) - sizeOf(a, counted))) {
  const lines = sizeOf(room, counted);
  const apart = sizeOf(room, files) - lines;
  if (lines + apart === 0) continue;
  const share = `${((lines / total) * 100).toFixed(1)} %`;
  line(String(lines).padStart(6), share.padStart(7), room, apart === 0 ? "" : `(and ${apart} apart)`);
}
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
