import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
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
const names = "createVerifier, schemes, sign, WebhookVerificationError";

/** Runs a program beside the installed package. */
const run = (file: string, text: string, conditions: readonly string[] = []): unknown => {
  writeFileSync(join(folder, file), text);
  const options = conditions.map((condition) => `--conditions=${condition}`);
  return JSON.parse(execFileSync(process.execPath, [...options, join(folder, file)], { encoding: "utf8" }));
};

const count = readdirSync(join(root, "src/schemes")).length - 1;
const expected = ["stripe", count, "stripe", "function"];

test("loads and works as a module", () => {
  const text = `import { ${names} } from "@postern/webhook-verifier";
    import { stripe } from "@postern/webhook-verifier/schemes/stripe";
    ${work}`;
  expect(run("esm.mjs", text)).toEqual(expected);
});

test("loads and works by require", () => {
  const text = `const { ${names} } = require("@postern/webhook-verifier");
    const { stripe } = require("@postern/webhook-verifier/schemes/stripe");
    (async () => { ${work} })();`;
  expect(run("cjs.cjs", text)).toEqual(expected);
});
