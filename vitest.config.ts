import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Workspace packages resolve to their sources. */
// Without "import", which Vite adds by itself: Node would get it as an option, for `require` as well.
const conditions = ["@postern/source", "node"];
const source = { resolve: { conditions }, ssr: { resolve: { conditions } } };

const pathOf = (file: string): string => fileURLToPath(new URL(file, import.meta.url));

const processors = availableParallelism();
/** Tests that only compute. They run first, one file on each processor. */
const computing = { sequence: { groupOrder: 0 }, maxWorkers: processors };
/** Tests that wait for databases half of their time. */
const storing = { sequence: { groupOrder: 1 }, maxWorkers: processors + 1 };
/** Tests that listen or start processes. Half of their time they wait for those. */
const acting = { sequence: { groupOrder: 2 }, maxWorkers: processors };
/** Tests that kill servers and databases under load. They come last, beside no others. */
const killing = { sequence: { groupOrder: 3 }, maxWorkers: processors };
/**
 * Files that share a process load their modules once, which would otherwise take half of their time.
 * What a module does for each file, such as `afterAll`, is then done for the first one only; a setup
 * file does it for each.
 */
const sharing = { isolate: false };
/** A file that replaces `https` before the server is loaded. It shares its process with no other. */
const onNock = ["test/handshakes.test.ts"];
/** Files that replace the platform. They share processes with one another and with no other file. */
const onWebCrypto = ["test/**/*.web.test.ts"];

/** Files that begin first in their project. Vitest would begin with those that have most text. */
const first = [
  // They have little text, because they take their tests from elsewhere. They would run last, beside an
  // idle processor.
  "packages/storage-knex/test/contracts.test.ts",
  "test/console-in-a-browser.test.ts",
  // It holds answers to 5 s. Beside it run two files that mostly wait, and not the one that kills and
  // starts most processes (the last of the four).
  "apps/server/faults/database-servers.test.ts",
  "apps/server/faults/handlers.test.ts",
  "apps/server/faults/storage.test.ts",
  "apps/server/faults/order.test.ts",
].map(pathOf);

class SomeFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    for (const path of first.toReversed()) {
      const file = sorted.find(({ moduleId }) => moduleId === path);
      if (file === undefined) continue;
      sorted.splice(sorted.indexOf(file), 1);
      sorted.splice(
        sorted.findIndex(({ project }) => project === file.project),
        0,
        file,
      );
    }
    return sorted;
  }
}

const project = (
  root: string,
  more: {
    name?: string;
    include?: string[];
    exclude?: string[];
    setupFiles?: string[];
    globalSetup?: string;
  } = {},
  group: typeof acting & { isolate?: boolean } = acting,
) => ({
  ...source,
  test: {
    name: root === "." ? "workspace" : root.replace(/^.*\//, ""),
    ...group,
    root,
    include: ["test/**/*.test.ts"],
    ...more,
    setupFiles: [pathOf("test/output-of-tests.ts"), ...(more.setupFiles ?? [])],
    testTimeout: 20_000,
    hookTimeout: 60_000,
    // What is waited for comes later on a busy machine.
    expect: { poll: { timeout: 10_000 } },
  },
});

/** One project a package; every test runs on the sources, so nothing needs to be built first. */
export default defineConfig({
  test: {
    sequence: { sequencer: SomeFirst },
    // A line for each file; what is logged only where a test fails.
    silent: "passed-only",
    slowTestThreshold: Number.POSITIVE_INFINITY,
    projects: [
      project("packages/core", {}, { ...computing, ...sharing }),
      project("packages/jobs", {}, { ...computing, ...sharing }),
      project("packages/inbox", {}, { ...computing, ...sharing }),
      project("packages/rest", {}, { ...computing, ...sharing }),
      project("packages/app", {}, { ...computing, ...sharing }),
      project("packages/webhook-verifier", { exclude: onWebCrypto }, { ...computing, ...sharing }),
      project(
        "packages/webhook-verifier",
        { name: "webhook-verifier-web", include: onWebCrypto },
        { ...computing, ...sharing },
      ),
      project(
        "packages/storage-knex",
        {
          setupFiles: [pathOf("packages/storage-knex/test/after-each-file.ts")],
          globalSetup: pathOf("packages/storage-knex/test/around-the-run.ts"),
        },
        { ...storing, ...sharing },
      ),
      project("packages/http", {}, { ...acting, ...sharing }),
      project("packages/http-koa", {}, { ...acting, ...sharing }),
      project("packages/platform-node", {}, { ...acting, ...sharing }),
      project(
        "packages/cli",
        { setupFiles: [pathOf("packages/cli/test/around-each-test.ts")] },
        { ...acting, ...sharing },
      ),
      project("packages/postern"),
      project("packages/testing", {}, { ...computing, ...sharing }),
      project("packages/create-postern", {}, { ...computing, ...sharing }),
      project("packages/client", {}, { ...computing, ...sharing }),
      project(
        "apps/server",
        {
          exclude: onNock,
          setupFiles: [pathOf("apps/server/test/after-each-test.ts")],
          globalSetup: pathOf("test/bundle.ts"),
        },
        { ...acting, ...sharing },
      ),
      project("apps/server", { name: "server-nock", include: onNock }),
      project("examples", {}, { ...acting, ...sharing }),
      project(".", {}, { ...acting, ...sharing }),
      {
        ...source,
        test: { name: "fuzz", ...acting, root: "packages/webhook-verifier", include: ["fuzz/**/*.test.ts"] },
      },
      {
        ...source,
        test: {
          name: "faults",
          ...killing,
          root: "apps/server",
          include: ["faults/**/*.test.ts"],
          setupFiles: ["test/output-of-tests.ts", "apps/server/test/after-each-test.ts"].map(pathOf),
          globalSetup: ["test/bundle.ts", "apps/server/faults/results.ts"].map(pathOf),
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
