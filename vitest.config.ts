import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

/** Workspace packages resolve to their sources. */
const conditions = ["@postern/source", "node", "import", "default"];
const source = { resolve: { conditions }, ssr: { resolve: { conditions } } };

const project = (root: string, more: { globalSetup?: string } = {}) => ({
  ...source,
  test: {
    ...more,
    name: root === "." ? "workspace" : root.replace(/^.*\//, ""),
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
      project("packages/webhook-verifier"),
      project("packages/storage-knex"),
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
