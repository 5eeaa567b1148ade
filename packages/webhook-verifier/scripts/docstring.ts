/**
 * Makes the docstrings of schemes. The lists hold them, and the published types get them from
 * `node --conditions=@postern/source --import tsx scripts/docstring.ts`, which is a part of the
 * build.
 */
import { readFileSync, writeFileSync } from "node:fs";
import type { Scheme } from "../src/scheme.ts";
import { allSchemes, camelCase, factsOf, windowOf } from "./facts.ts";

const width = 100;

/** Breaks a text into lines of a comment. */
const linesOf = (text: string): readonly string[] => {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last === undefined || last.length + word.length + 1 > width - " * ".length) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
};

/** Templates and names of headers stand out; words do not. */
const code = (text: string): string =>
  text.includes("`") || text.includes(" ") ? text : `\`${text.replaceAll("\n", "\\n")}\``;

/**
 * What an editor shows for a scheme: what is signed and how, in which headers, what that covers, and
 * where the key is.
 */
export const docstringOf = (scheme: Scheme): string => {
  const { title, key, covered } = scheme;
  const { signed, encoding, headers, keyFrom, source } = factsOf(scheme);
  const where = headers.length === 0 ? "" : ` In ${headers.map(code).join(", ")}.`;
  const text = [
    `${title}. Signed: ${code(signed)} (${key.algorithms.join(", ")}, ${encoding}).${where}`,
    `Covered: ${covered.join(", ") || "nothing"}.${covered.includes("body") ? "" : " **The body is not authenticated.**"}`,
    `Window: ${windowOf(scheme)}.`,
    `Key: ${keyFrom}`,
  ];
  // A slash after a star would end the comment.
  const lines = text.flatMap(linesOf).map((line) => ` * ${line.replaceAll("*/", "*\\/")}`);
  return ["/**", ...lines, ` * @see ${source}`, " */"].join("\n");
};

/** The types of a scheme's module with its docstring. @throws TypeError if they declare no scheme. */
export const withDocstring = (types: string, scheme: Scheme): string => {
  const declaration = `declare const ${camelCase(scheme.name)}: Scheme;`;
  const at = types.indexOf(`\n${declaration}`) + 1;
  if (at === 0) throw new TypeError(`The types of ${scheme.name} have no line "${declaration}".`);
  return `${types.slice(0, at)}${docstringOf(scheme)}\n${types.slice(at)}`;
};

if (process.argv[1]?.endsWith("docstring.ts") === true)
  for (const scheme of allSchemes)
    for (const ending of ["d.ts", "d.cts"]) {
      const file = new URL(`../dist/schemes/${scheme.name}.${ending}`, import.meta.url);
      writeFileSync(file, withDocstring(readFileSync(file, "utf8"), scheme));
    }
