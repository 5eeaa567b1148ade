import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "verifier-"));
const installed = join(folder, "node_modules/@postern/webhook-verifier");

beforeAll(() => {
  mkdirSync(installed, { recursive: true });
  const tsup = createRequire(import.meta.url).resolve("tsup/dist/cli-default.js");
  execFileSync(process.execPath, [tsup, "--out-dir", join(installed, "dist"), "--no-dts", "--silent"], { cwd: root });
  cpSync(join(root, "package.json"), join(installed, "package.json"));
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true }));

const work = `
  const headers = await sign(stripe, { keys: "whsec_0123456789abcdef", body: "{}" });
  const delivery = await createVerifier(stripe, { keys: "whsec_0123456789abcdef" }).verify({ headers, body: "{}" });
  const all = Object.keys(schemes).length;
  console.log(JSON.stringify([delivery.scheme, all, schemes.stripe.name, typeof WebhookVerificationError]));
`;
const names = "createVerifier, sign, WebhookVerificationError";

/** Runs a program beside the installed package. */
const run = (file: string, text: string, conditions: readonly string[] = []): unknown => {
  writeFileSync(join(folder, file), text);
  const options = conditions.map((condition) => `--conditions=${condition}`);
  return JSON.parse(execFileSync(process.execPath, [...options, join(folder, file)], { encoding: "utf8" }));
};

const count = readdirSync(join(root, "src/schemes")).length;
const expected = ["stripe", count, "stripe", "function"];

test("loads and works as a module", () => {
  const text = `import { ${names} } from "@postern/webhook-verifier";
    import { schemes } from "@postern/webhook-verifier/schemes";
    import { stripe } from "@postern/webhook-verifier/schemes/stripe";
    ${work}`;
  expect(run("esm.mjs", text)).toEqual(expected);
});

/** The snippets of the README, in one language. */
const snippets = (language: string): readonly string[] => {
  const readme = readFileSync(join(root, "README.md"), "utf8");
  return [...readme.matchAll(new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``, "g"))].map(([, text = ""]) => text);
};

test("the README's program in JavaScript runs as it is", () => {
  const [program = ""] = snippets("js");
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "stranger", type: "commonjs" }));
  writeFileSync(join(folder, "webhooks.js"), program);
  const printed = execFileSync(process.execPath, [join(folder, "webhooks.js")], { encoding: "utf8", env: {} });
  expect(printed).toBe("received invoice.paid\n200\n401\n");
});

test("every name that the README imports is there, as a module and by require", async () => {
  const statements = [
    ...snippets("ts")
      .join("\n")
      .matchAll(/import \{([^}]*)\} from "(@postern\/[^"]+)"/g),
  ];
  expect(statements.length).toBeGreaterThan(15);
  const wanted = statements.flatMap(([, names = "", from = ""]) =>
    names.split(",").flatMap((name): [string, string][] => (name.trim() === "" ? [] : [[name.trim(), from]])),
  );
  const list = JSON.stringify(wanted);
  const missing = "if (typeof all[name] === 'undefined') console.log(name, from)";
  const esm = `for (const [name, from] of ${list}) { const all = await import(from); ${missing} } console.log(0);`;
  const cjs = `for (const [name, from] of ${list}) { const all = require(from); ${missing} } console.log(0);`;
  expect([run("names.mjs", esm), run("names.cjs", cjs)]).toEqual([0, 0]);
});

test("loads and works by require", () => {
  const text = `const { ${names} } = require("@postern/webhook-verifier");
    const { schemes } = require("@postern/webhook-verifier/schemes");
    const { stripe } = require("@postern/webhook-verifier/schemes/stripe");
    (async () => { ${work} })();`;
  expect(run("cjs.cjs", text)).toEqual(expected);
});

test("the package holds no source maps and no scheme twice, and has at most 3 MB", () => {
  const text = readFileSync(join(root, "package.json"), "utf8");
  const { files } = JSON.parse(text) as { readonly files: readonly string[] };
  const sizes: Record<string, number> = {};
  const measure = (folder: string, below: string): void => {
    for (const entry of readdirSync(join(folder, below), { withFileTypes: true, recursive: true }))
      if (entry.isFile()) {
        const path = join(entry.parentPath, entry.name);
        sizes[path] = statSync(path).size;
      }
  };
  measure(installed, "dist");
  for (const below of files) if (["src", "docs"].includes(below)) measure(root, below);
  // The types are not built here. There are two files of about 600 bytes for each scheme, and 20 others.
  const types = 2 * 600 * count + 200_000;
  const total = Object.values(sizes).reduce((sum, size) => sum + size, types);
  expect(total).toBeLessThan(3_000_000);
  expect(Object.keys(sizes).filter((path) => path.endsWith(".map"))).toEqual([]);
  const scripts = Object.keys(sizes).filter((path) => /\.c?js$/.test(path));
  expect(scripts.length).toBeLessThan(2 * count + 150);
});
