/**
 * Writes the program of an SQLite connection's thread as a text:
 * `node --import tsx packages/storage-knex/scripts/worker-program.ts`, after each change of
 * `worker-main.ts`. A text is left alone by every bundler, minifier and transformer of an application;
 * the text of a compiled function calls what they have put around it.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const pathOf = (name: string): string => fileURLToPath(new URL(`../src/sqlite/driver/${name}.ts`, import.meta.url));

/** The file that `worker-main.ts` makes. */
export const workerProgramFile = (): string => {
  const { outputText } = ts.transpileModule(readFileSync(pathOf("worker-main"), "utf8"), {
    compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext, removeComments: true },
  });
  const program = `${outputText.replace("export const workerMain", "const workerMain")}workerMain(require);\n`;
  return `/** Made from \`worker-main.ts\` by \`scripts/worker-program.ts\`. */
export const workerProgram =
  ${JSON.stringify(program)};
`;
};

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(pathOf("worker-program"), workerProgramFile());
