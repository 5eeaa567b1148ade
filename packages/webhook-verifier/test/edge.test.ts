import { webcrypto } from "node:crypto";
import { fileURLToPath } from "node:url";
import { createContext, runInContext } from "node:vm";
import { build } from "esbuild";
import { expect, test } from "vitest";

const source = (path: string): string => fileURLToPath(new URL(`../src/${path}`, import.meta.url));

/**
 * Built as a bundler for an edge runtime would: conditions without `node`, so that `#platform` is
 * the WebCrypto one.
 */
const bundle = async (): Promise<string> => {
  const entry = `
    export { createVerifier, sign } from ${JSON.stringify(source("index.ts"))};
    export { schemes } from ${JSON.stringify(source("all-schemes.ts"))};
  `;
  const built = await build({
    stdin: { contents: entry, resolveDir: source(""), loader: "ts" },
    bundle: true,
    write: false,
    format: "iife",
    globalName: "verifier",
    platform: "neutral",
    target: "es2022",
    conditions: ["@postern/source", "worker", "browser"],
  });
  return built.outputFiles[0]?.text ?? "";
};

test("verifies and signs in a runtime that has web globals and nothing of Node", async () => {
  const code = await bundle();
  expect(code).not.toMatch(/node:|require\(|\bBuffer\b|\bprocess\./);
  const context = createContext({
    crypto: webcrypto,
    TextEncoder,
    TextDecoder,
    URL,
    URLSearchParams,
    console: undefined,
  });
  runInContext(code, context);
  const outcome: unknown = await runInContext(
    `(async () => {
      const { createVerifier, sign, schemes } = verifier;
      const body = '{"id":"evt_1","type":"thing.made"}';
      const headers = await sign(schemes.stripe, { keys: "whsec_0123456789abcdef", body });
      const delivery = await createVerifier(schemes.stripe, { keys: "whsec_0123456789abcdef" }).verify({ headers, body });
      const refused = await createVerifier(schemes.stripe, { keys: "another secret of 26 bytes" }).verify({ headers, body }).catch((error) => error.code);
      const seed = "07".repeat(32);
      const signed = await sign(schemes.discord, { keys: seed, body });
      return [delivery.id, refused, typeof signed["x-signature-ed25519"], typeof process, typeof Buffer];
    })()`,
    context,
  );
  expect(JSON.parse(JSON.stringify(outcome))).toEqual([
    "evt_1",
    "signature_mismatch",
    "string",
    "undefined",
    "undefined",
  ]);
});
