import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

/** Workspace packages resolve to their sources. */
// Without "import", which Vite adds by itself: Node would get it as an option, for `require` as well.
const conditions = ["@postern/source", "node"];
const source = { resolve: { conditions }, ssr: { resolve: { conditions } } };

const project = (root: string, more: { globalSetup?: string } = {}) => ({
  ...source,
  test: {
    name: root === "." ? "workspace" : root.replace(/^.*\//, ""),
    ...more,
    root,
    include: ["test/**/*.test.ts"],
    testTimeout: 20_000,
    hookTimeout: 60_000,
  },
});

/** One project a package; every test runs on the sources, so nothing needs to be built first. */
export default defineConfig({
  test: {
    projects: [
      project("packages/core"),
      project("packages/rest"),
      project("packages/app"),
      project("packages/webhook-verifier"),
      project("packages/storage-knex"),
      project("packages/http"),
      project("packages/http-koa"),
      project("packages/job-runner"),
      project("packages/platform-node"),
      project("packages/cli"),
      project("packages/client"),
      project("apps/server", { globalSetup: fileURLToPath(new URL("test/bundle.ts", import.meta.url)) }),
      project("examples"),
      project("."),
      {
        ...source,
        test: { name: "fuzz", root: "packages/webhook-verifier", include: ["fuzz/**/*.test.ts"] },
      },
      {
        ...source,
        test: {
          name: "faults",
          root: "apps/server",
          include: ["faults/**/*.test.ts"],
          globalSetup: ["test/bundle.ts", "apps/server/faults/results.ts"].map((file) =>
            fileURLToPath(new URL(file, import.meta.url)),
          ),
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
