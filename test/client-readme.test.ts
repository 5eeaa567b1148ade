import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { expect, test } from "vitest";

const folder = fileURLToPath(new URL("../packages/client/", import.meta.url));

/** Every option that makes the compiler stricter. */
const strictest: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2023,
  lib: ["lib.es2023.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"],
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  customConditions: ["@postern/source"],
  types: [],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noUncheckedSideEffectImports: true,
  noPropertyAccessFromIndexSignature: true,
  noImplicitOverride: true,
  noImplicitReturns: true,
  noFallthroughCasesInSwitch: true,
  noUnusedLocals: true,
  noUnusedParameters: true,
  allowUnreachableCode: false,
  allowUnusedLabels: false,
  verbatimModuleSyntax: true,
  isolatedModules: true,
  erasableSyntaxOnly: true,
  allowImportingTsExtensions: true,
  forceConsistentCasingInFileNames: true,
  skipLibCheck: true,
  noEmit: true,
};

const codeBlocks = (markdown: string): readonly string[] =>
  [...markdown.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = ""]) => code);

/**
 * What the compiler reports about blocks that are beside the package's own files, each line with
 * its text.
 */
const faultsIn = (blocks: readonly string[]): readonly string[] => {
  const files = new Map(blocks.map((code, index) => [`${folder}readme-block-${index + 1}.ts`, code]));
  const host = ts.createCompilerHost(strictest);
  const { fileExists, readFile, getSourceFile } = host;
  host.fileExists = (name) => files.has(name) || fileExists(name);
  host.readFile = (name) => files.get(name) ?? readFile(name);
  host.getSourceFile = (name, options, ...rest) => {
    const code = files.get(name);
    return code === undefined ? getSourceFile(name, options, ...rest) : ts.createSourceFile(name, code, options, true);
  };
  const program = ts.createProgram([...files.keys()], strictest, host);
  return program
    .getSourceFiles()
    .flatMap((source) =>
      files.has(source.fileName)
        ? [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map(
            ({ start = 0, messageText }) =>
              `line ${source.getLineAndCharacterOfPosition(start).line + 1}: ${ts.flattenDiagnosticMessageText(messageText, " ")}`,
          )
        : [],
    );
};

test("the code in the client's README compiles under the strictest options", () => {
  const blocks = codeBlocks(readFileSync(`${folder}README.md`, "utf8"));
  expect(blocks.length).toBeGreaterThan(0);
  expect(faultsIn(blocks)).toEqual([]);
}, 60_000);

test("reports code that does not fit the client", () => {
  const imported = `import { createClient } from "@postern/client";\n`;
  const client = `const client = createClient({ origin: "https://api.example.com", version: "v2" });\n`;
  const broken = [
    `${imported}${client}console.log((await client.GET("/posts/{id}", { params: { path: { id: "1" } } })).data.title);\n`,
    `${imported}${client}await client.GET("/postz");\n`,
    `import { createKlient } from "@postern/client";\nconsole.log(createKlient);\n`,
  ];
  expect(faultsIn(broken)).toEqual([
    "line 3: Object is possibly 'undefined'.",
    expect.stringMatching(/^line 3: /),
    expect.stringMatching(/^line 1: .*createKlient/),
  ]);
}, 60_000);
