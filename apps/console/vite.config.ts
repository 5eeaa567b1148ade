import { fileURLToPath } from "node:url";
import { defineConfig, type Plugin } from "vite";
import { designTokens } from "../../packages/rest/src/pages/tokens.ts";

const pathOf = (file: string): string => fileURLToPath(new URL(file, import.meta.url));

/** Puts the tokens that all pages of a server share in front of the first style sheet. */
const tokens = (): Plugin => ({
  name: "tokens",
  enforce: "pre",
  transform: (code, id) => (id.endsWith("/style/base.css") ? designTokens + code : undefined),
});

/**
 * All paths in the built files are relative, and no file has a script or style inside, so that the
 * console works below any path and under the strictest policy.
 */
export default defineConfig({
  root: pathOf("src"),
  base: "./",
  logLevel: "warn",
  plugins: [tokens()],
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: pathOf("../server/dist/console"),
    emptyOutDir: true,
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    target: "es2022",
  },
});
