/**
 * The seams, checked. Dependencies point inward: adapters know core and their one technology, never each other; apps and the command line compose.
 * Each rule has a deliberate violation in test/boundaries.test.ts, so that a rule which no longer bites is noticed.
 */
const adapters = ["platform-node", "storage-knex"];

/**
 * The identity of callers in `app`, from the inside out: each folder may import those before it, and
 * `authentication.ts` puts them together.
 */
const identity = ["tokens", "account", "sign-in", "keys", "outside", "oauth", "users"];

/**
 * The rooms of `storage-knex`, from the engine upwards: each folder may import those before it. The
 * tools have one door, `tools/index.ts`.
 */
const storage = ["engine", "schema", "stores", "server", "sqlite", "mysql", "postgres", "storage", "tools"];

const forbidden = [
  {
    name: "no-circular",
    comment: "A cycle has no inside and no outside. Types count, too: who reads one file of it must read all.",
    from: {},
    to: { circular: true },
  },
  {
    name: "could-not-resolve",
    comment: "An import that cannot be resolved passes every other rule unseen.",
    // What these hosts need is installed when they are tried.
    from: { pathNot: "^examples/hosts/(jest|bundle)/" },
    to: { couldNotResolve: true },
  },
  {
    name: "verifier-stands-alone",
    comment: "The verifier is useful to people who use nothing else of ours: no package of ours, no dependency.",
    from: { path: "^packages/webhook-verifier/src" },
    to: { path: ["^packages/(?!webhook-verifier/)", "^apps/", "^node_modules"] },
  },
  {
    name: "verifier-platform-only",
    comment: "Node's modules are used in one file, which the export conditions choose.",
    from: { path: "^packages/webhook-verifier/src", pathNot: "^packages/webhook-verifier/src/platform/" },
    to: { dependencyTypes: ["core"] },
  },
  {
    name: "core-without-platform",
    comment:
      "Core runs anywhere and under a virtual clock: no Node module. Only the contract suites may assert with node:assert.",
    from: { path: "^packages/core/src", pathNot: "^packages/core/src/testing/" },
    to: { dependencyTypes: ["core"] },
  },
  {
    name: "core-testing-asserts-only",
    comment: "The contract suites are used on every platform that can assert.",
    from: { path: "^packages/core/src/testing" },
    to: { dependencyTypes: ["core"], pathNot: "^(node:)?assert(/strict)?$" },
  },
  {
    name: "core-knows-no-framework",
    comment: "Core may use zod and the verifier, nothing else.",
    from: { path: "^packages/core/src" },
    to: { path: ["^packages/(?!core/|webhook-verifier/)", "^apps/", "^node_modules/(?!(\\.pnpm/)?zod[@/])"] },
  },
  {
    name: "jobs-knows-core-only",
    comment:
      "The job engine stands on core's ports and is used alone: no inbox, no platform. Only its cron plan uses node-cron.",
    from: { path: "^packages/jobs/src", pathNot: "^packages/jobs/src/node-cron/" },
    to: { path: ["^packages/(?!jobs/src/(?!node-cron/)|core/)", "^apps/", "^node_modules"] },
  },
  {
    name: "jobs-cron-plan-knows-core-only",
    comment: "An adapter of one port to one library.",
    from: { path: "^packages/jobs/src/node-cron/" },
    to: {
      path: ["^packages/(?!jobs/src/node-cron/|core/)", "^apps/", "^node_modules/(?!(\\.pnpm/)?node-cron[@/])"],
    },
  },
  {
    name: "inbox-knows-core-and-jobs",
    comment: "The inbox verifies, stores, and makes jobs: no API engine, no platform, no application.",
    from: { path: "^packages/inbox/src" },
    to: {
      path: ["^packages/(?!inbox/|core/|jobs/|webhook-verifier/)", "^apps/", "^node_modules/(?!(\\.pnpm/)?zod[@/])"],
    },
  },
  {
    name: "rest-knows-core-only",
    comment:
      "The API engine stands on core: no platform, no framework, no adapter, no application. It and the inbox never import each other: what looks after events and jobs by the API is in app.",
    from: { path: "^packages/rest/src" },
    to: { path: ["^packages/(?!rest/|core/)", "^apps/", "^node_modules/(?!(\\.pnpm/)?zod[@/])"] },
  },
  {
    name: "app-knows-core-and-rest",
    comment: "The application puts the inbox, the jobs and the API engine together; adapters are given to it.",
    from: { path: "^packages/app/src" },
    to: {
      path: [
        "^packages/(?!app/|core/|inbox/|jobs/|rest/|webhook-verifier/)",
        "^apps/",
        "^node_modules/(?!(\\.pnpm/)?zod[@/])",
      ],
    },
  },
  ...identity.slice(0, -1).map((folder, at) => ({
    name: `app-${folder}-knows-nobody-outside`,
    comment: "Who signs in, and by what, is read from the inside out.",
    from: { path: `^packages/app/src/${folder}/` },
    to: { path: `^packages/app/src/(${identity.slice(at + 1).join("|")})/` },
  })),
  ...storage.slice(0, -1).map((folder, at) => ({
    name: `storage-${folder}-knows-nobody-above`,
    comment: "One engine below three dialects; what is for whole databases comes last.",
    from: { path: `^packages/storage-knex/src/${folder}/` },
    to: { path: `^packages/storage-knex/src/(${storage.slice(at + 1).join("|")})/` },
  })),
  {
    name: "storage-dialects-apart",
    comment: "What two dialects share is in the engine, or for database servers in `server`.",
    from: { path: "^packages/storage-knex/src/(sqlite|mysql|postgres)/" },
    to: { path: "^packages/storage-knex/src/(sqlite|mysql|postgres)/", pathNot: "^packages/storage-knex/src/$1/" },
  },
  {
    name: "storage-tools-by-their-door",
    comment: "Backups and copies are one room inside the package.",
    from: { path: "^packages/storage-knex/src/", pathNot: "^packages/storage-knex/src/tools/" },
    to: { path: "^packages/storage-knex/src/tools/", pathNot: "^packages/storage-knex/src/tools/index\\.ts$" },
  },
  {
    name: "app-operator-one-door",
    comment: "The operators' part is used by its table of operations, and by its wire for our own packages.",
    from: { path: "^packages/app/src", pathNot: "^packages/app/src/(operator/|internal\\.ts$)" },
    to: { path: "^packages/app/src/operator/", pathNot: "^packages/app/src/operator/index\\.ts$" },
  },
  {
    name: "app-wire-knows-no-operation",
    comment: "The answers are read by others without the operations that give them.",
    from: { path: "^packages/app/src/operator/wire/" },
    to: { path: "^packages/app/src/operator/(?!wire/)" },
  },
  {
    name: "engines-without-platform",
    comment: "They run anywhere and under a virtual clock: no Node module.",
    from: { path: "^packages/(rest|app|inbox|jobs)/src" },
    to: { dependencyTypes: ["core"] },
  },
  {
    name: "core-without-its-test-kit",
    comment: "What runs in production does not depend on contract suites or in-memory adapters.",
    from: { path: "^packages/core/src", pathNot: "^packages/core/src/(memory|testing)/" },
    to: { path: "^packages/core/src/(memory|testing)/" },
  },
  {
    name: "memory-without-testing",
    comment: "The in-memory adapters are products.",
    from: { path: "^packages/core/src/memory" },
    to: { path: "^packages/core/src/testing" },
  },
  {
    name: "no-testing-in-src",
    comment: "Contract suites are for tests.",
    from: { path: "^(packages|apps)/[^/]+/src", pathNot: "^packages/(core|http)/src/testing" },
    to: { path: "^packages/(core|http)/src/testing" },
  },
  ...adapters.map((name) => ({
    name: `${name}-knows-core-only`,
    comment: "An adapter knows core and its one technology.",
    from: { path: `^packages/${name}/src` },
    // The library of the storage comes through a package of ours (see ADR 54). Alerts are sent by a job.
    to: {
      path: [`^packages/(?!${name}/|core/src/|${name === "storage-knex" ? "sqlite3" : "jobs"}/src/)`, "^apps/"],
    },
  })),
  {
    name: "http-knows-core-and-rest-only",
    comment: "HTTP is driven by an interface of its own: it may use core, and no adapter, framework or library.",
    from: { path: "^packages/http/src", pathNot: "^packages/http/src/testing/" },
    to: { path: ["^packages/(?!http/|core/src/|inbox/src/|rest/src/)", "^apps/", "^node_modules"] },
  },
  {
    name: "http-testing-serves-the-application",
    comment: "The contract suites serve Postern's own application and sign webhooks for it; they need no test runner.",
    from: { path: "^packages/http/src/testing" },
    to: { path: ["^packages/(?!(http|core|inbox|jobs|rest|app|webhook-verifier)/)", "^apps/", "^node_modules"] },
  },
  {
    name: "http-without-platform",
    comment: "Everything but the Node part and the contract suites runs wherever there is fetch.",
    from: { path: "^packages/http/src", pathNot: "^packages/http/src/(node|testing)/" },
    to: { dependencyTypes: ["core"] },
  },
  {
    name: "http-parts-apart",
    comment: "The framework-free part knows neither of its adapters, and they do not know each other.",
    from: { path: "^packages/http/src/(?!testing/)([^/]+)/?" },
    to: { path: "^packages/http/src/(node|fetch|testing)/", pathNot: "^packages/http/src/$1/" },
  },
  {
    name: "http-koa-knows-http-and-core-only",
    comment: "An adapter of HTTP to one framework.",
    from: { path: "^packages/http-koa/src" },
    to: { path: ["^packages/(?!http-koa/|http/src/|core/src/|rest/src/)", "^apps/"] },
  },
  {
    name: "koa-in-http-koa-only",
    comment: "One technology, one adapter.",
    from: { path: "^(packages|apps)/[^/]+/src", pathNot: "^packages/http-koa/" },
    to: { path: "^node_modules/(\\.pnpm/)?(@koa\\+|@koa/|koa[@/-])" },
  },
  {
    name: "knex-in-storage-knex-only",
    comment: "One technology, one adapter.",
    from: { path: "^(packages|apps)/[^/]+/src", pathNot: "^packages/(storage-knex|sqlite3)/" },
    to: { path: "^node_modules/(\\.pnpm/)?(knex|sqlite3|mysql2)[@/]" },
  },
  {
    name: "nobody-imports-the-cli",
    comment: "The command line is an end, not a part.",
    from: { path: "^(packages|apps)/(?!cli/|postern/)[^/]+/src" },
    to: { path: "^packages/cli/" },
  },
  {
    name: "testing-composes-through-postern",
    comment:
      "The test kit replaces adapters of `openPostern`; it is no second composition, and has no HTTP of its own.",
    from: { path: "^packages/testing/src" },
    to: { path: ["^packages/(?!(testing|postern|app|core|inbox|jobs|storage-knex|webhook-verifier)/)", "^apps/"] },
  },
  {
    name: "nobody-imports-the-test-kit",
    comment: "It is for tests.",
    from: { path: "^(packages|apps)/(?!testing/)[^/]+/src" },
    to: { path: "^packages/testing/" },
  },
  {
    name: "create-postern-stands-alone",
    comment: "It runs before anything is installed: no package of ours, no dependency.",
    from: { path: "^packages/create-postern/src" },
    to: { path: ["^packages/(?!create-postern/)", "^apps/", "^node_modules"] },
  },
  {
    name: "packages-do-not-compose",
    comment: "Only the command line and `openPostern` build on the server's composition.",
    from: { path: "^packages/(?!cli/|postern/)[^/]+/src" },
    to: { path: "^apps/" },
  },
  {
    name: "schemes-one-by-one",
    comment: "The verifier's table loads all schemes. `loadScheme` loads one when it is named.",
    from: {
      path: "^(packages|apps)/([^/]+)/src",
      pathNot: "^(packages/webhook-verifier|apps/server/src/config-modules\\.ts)",
    },
    to: {
      path: "^packages/webhook-verifier/src/(all-schemes|generated/schemes)\\.ts$",
      dependencyTypesNot: ["type-only"],
    },
  },
  {
    name: "internal-for-siblings",
    comment: "`/internal` changes with any version. An example shows what an application may use.",
    from: { path: "^(examples|packages/(client|create-postern|webhook-verifier)/)" },
    to: { path: "^(packages|apps)/[^/]+/src/internal\\.ts$" },
  },
  {
    name: "through-the-front-door",
    // One file of the console takes types of paths from the client, which does not export them.
    comment: "Another package is used by what it exports.",
    from: { path: "^(packages|apps)/([^/]+)/(src|test)", pathNot: "^apps/console/src/address\\.ts$" },
    to: {
      path: "^(packages|apps)/[^/]+/src/",
      pathNot: [
        "^$1/$2/",
        "^(packages|apps)/[^/]+/src/internal\\.ts$",
        "^packages/core/src/(memory/index|testing/index|ports)\\.ts$",
        "^packages/jobs/src/node-cron/index\\.ts$",
        "^packages/http/src/(node/index|fetch/index|testing/index)\\.ts$",
        "^packages/webhook-verifier/src/(index|all-schemes|load-scheme|schemes/[^/]+)\\.ts$",
        "^(packages|apps)/[^/]+/src/index\\.ts$",
        "^apps/server/src/early-signal\\.ts$",
      ],
    },
  },
];

module.exports = {
  // A warning would pass CI unseen.
  forbidden: forbidden.map((rule) => ({ severity: "error", ...rule })),
  options: {
    doNotFollow: { path: ["node_modules", "dist"] },
    exclude: { path: ["/dist/"] },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["@postern/source", "node", "import", "types", "default"],
      extensions: [".ts", ".js", ".mjs", ".json"],
    },
    tsConfig: { fileName: require("node:path").join(__dirname, "tsconfig.base.json") },
  },
};
