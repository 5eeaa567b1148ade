// Runs the project on a machine that has only Node and npm: gets pnpm, installs, builds, then does
// what was asked.
//   node scripts/run.mjs start | test [vitest options] | faults | fuzz | laws | checks | dev | bundle | site
//   node scripts/run.mjs postern <command …>
// `npm start` says `exec` first. Without it some shells would stay in between and report a Ctrl-C as
// their own death, although the server has drained and exited 0. A shell without `exec` (Windows)
// runs the same command without it.
// Old versions of Node must be able to read this file up to the version check, so its syntax is plain.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  appendFileSync,
  createWriteStream,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { delimiter, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const cache = join(root, ".cache");
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const pnpmVersion = manifest.packageManager.replace("pnpm@", "");
const workspaceFolders = ["packages", "apps"];
const bin = (...parts) => join(root, "node_modules", ...parts);
const turbo = bin("turbo", "bin", "turbo");

function requireNode() {
  const least = [20, 19];
  const found = process.versions.node.split(".").map(Number);
  if (found[0] > least[0] || (found[0] === least[0] && found[1] >= least[1])) return;
  fail(`Postern needs Node ${least.join(".")} or newer; this is ${process.versions.node}.`, [
    "Get a newer one from nodejs.org or with your version manager, then run the command again.",
  ]);
}

function fail(what, remedies) {
  process.stderr.write(`\n${what}\n${remedies.map((line) => `  ${line}\n`).join("")}`);
  process.exit(1);
}

const packageFolders = () =>
  workspaceFolders.flatMap((folder) =>
    readdirSync(join(root, folder))
      .map((name) => join(root, folder, name))
      .filter((path) => existsSync(join(path, "package.json"))),
  );

const sourceFolders = () => packageFolders().map((folder) => relative(root, join(folder, "src")));

/** One hash over everything that an installation depends on. It is skipped while the hash stays the same. */
const fingerprint = (files, more) => {
  const hash = createHash("sha256").update(JSON.stringify(more));
  for (const file of files.toSorted()) hash.update(relative(root, file)).update(readFileSync(file));
  return hash.digest("hex");
};

const stampOf = (path) => (existsSync(path) ? readFileSync(path, "utf8") : "");

/** Progress is no part of what a command of Postern prints. */
const progress = process.argv[2] === "postern" ? process.stderr : process.stdout;
/** A step that takes less is not told. */
const quietMs = 1_500;

/**
 * Runs a command. Its output goes to a log file. The terminal shows one line that counts seconds
 * and says what is being done.
 */
const step = (what, command, args, { environment, logName, phases, remedies }) =>
  new Promise((resolve) => {
    mkdirSync(cache, { recursive: true });
    const logPath = join(cache, logName);
    const log = createWriteStream(logPath);
    const started = Date.now();
    const terminal = progress.isTTY;
    let phase = what;
    let shown = "";
    const show = () => {
      if (Date.now() - started < quietMs) return;
      const seconds = Math.round((Date.now() - started) / 1000);
      if (terminal) progress.write(`\r\x1b[2K${phase} … ${seconds} s`);
      else if (phase !== shown || seconds % 15 === 0) progress.write(`${phase} … ${seconds} s\n`);
      shown = phase;
    };
    const timer = setInterval(show, 1000);
    const child = spawn(command, args, { cwd: root, env: environment, stdio: ["ignore", "pipe", "pipe"] });
    const tail = [];
    const read = (chunk) => {
      log.write(chunk);
      for (const line of chunk.toString().split("\n")) {
        if (line.trim() === "") continue;
        tail.push(line);
        if (tail.length > 40) tail.shift();
        for (const [pattern, name] of phases) if (pattern.test(line)) phase = name;
      }
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.on("error", (error) => read(Buffer.from(String(error))));
    child.on("close", (code) => {
      clearInterval(timer);
      log.end();
      if (terminal && shown !== "") progress.write("\r\x1b[2K");
      if (code === 0) {
        if (shown !== "") progress.write(`${what}: done in ${Math.round((Date.now() - started) / 1000)} s\n`);
        resolve();
        return;
      }
      process.stderr.write(`${tail.join("\n")}\n`);
      fail(`${what} failed (the whole log: ${relative(process.cwd(), logPath)}).`, remedies(tail.join("\n")));
    });
  });

/** Where the program of pnpm stands, once it was found. */
const foundPnpm = join(cache, "pnpm-path");

/** Whether this is pnpm at the pinned version: a global one may have been updated since it was found. */
const isPinnedPnpm = (program) => {
  const manifestPath = join(dirname(program), "..", "package.json");
  return existsSync(program) && JSON.parse(readFileSync(manifestPath, "utf8")).version === pnpmVersion;
};

/**
 * Finds pnpm at the pinned version through the npm that started this script: no shell, no global
 * install, the same on every system. npm asks the registry each time, and where it gets no answer it
 * tries for more than a minute. So npm is asked once, and the program is started by its path then.
 */
const findPnpm = async () => {
  const known = stampOf(foundPnpm);
  if (known !== "" && isPinnedPnpm(known)) return;
  const npm = process.env.npm_execpath;
  const exec = ["exec", "--yes", `--package=pnpm@${pnpmVersion}`, "--", "node", join(root, "scripts", "find-pnpm.mjs")];
  const [command, ...first] =
    npm !== undefined && /npm-cli\.js$/.test(npm)
      ? [process.execPath, npm]
      : [process.platform === "win32" ? "npm.cmd" : "npm"];
  await step("Getting pnpm", command, [...first, ...exec, pnpmVersion, foundPnpm], {
    environment: { ...process.env, ...quiet },
    logName: "pnpm.log",
    phases: [],
    remedies: installRemedies,
  });
};

/**
 * If Node's own headers are installed beside it, a native module is compiled without a download.
 */
const withHeaders = (environment) => {
  const prefix = join(dirname(process.execPath), "..");
  const header = join(prefix, "include", "node", "node_version.h");
  if (!existsSync(header)) return environment;
  const version = ["MAJOR", "MINOR", "PATCH"]
    .map((part) => new RegExp(`#define NODE_${part}_VERSION (\\d+)`).exec(readFileSync(header, "utf8"))?.[1])
    .join(".");
  return version === process.versions.node ? { npm_config_nodedir: prefix, ...environment } : environment;
};

const quietRedocly = { REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };
const quiet = {
  TURBO_TELEMETRY_DISABLED: "1",
  DO_NOT_TRACK: "1",
  npm_config_update_notifier: "false",
  ...quietRedocly,
};

const installRemedies = (output) => {
  if (/not found: make|g\+\+: not found|gyp ERR!.*(python|make|compiler)/i.test(output)) {
    return [
      "Use Node 24.15 or later, which has SQLite itself. On this Node, a driver is compiled once, which needs a C++ compiler, make and Python 3:",
      "  Debian, Ubuntu: apt install build-essential python3",
      "  Fedora: dnf install gcc-c++ make python3     macOS: xcode-select --install",
    ];
  }
  if (/ENOTFOUND|ECONNREFUSED|ETIMEDOUT|ERR_PNPM_META_FETCH_FAIL/.test(output)) {
    return ["The package registry cannot be reached. Check the network or the proxy, then run the command again."];
  }
  if (/ERR_PNPM_OUTDATED_LOCKFILE/.test(output)) {
    return ["pnpm-lock.yaml does not fit the package.json files. Run `pnpm install` and commit the lock file."];
  }
  return ["Run the command again; if it fails in the same way, the log says why."];
};

/**
 * Whether Node has an SQLite of its own that loses no commits (3.51.3 and later). Then the only
 * install script, which compiles `sqlite3`, is left out: a compiler or its headers may be missing.
 */
const hasSqlite = (version = process.versions.sqlite ?? "0.0.0") => {
  const [major, minor, patch] = version.split(".").map(Number);
  return major * 1_000_000 + minor * 1_000 + patch >= 3_051_003;
};

const nodeFolder = join(root, "scripts", "node");
const isWindows = process.platform === "win32";
/** The program in npm's package with the binary of Node for this platform. */
const otherNode = join(
  ...[nodeFolder, "node_modules", `node-${isWindows ? "win" : process.platform}-${process.arch}`],
  ...["bin", isWindows ? "node.exe" : "node"],
);
/** The lockfile of the other Node for which it was looked for, and what was found: a program, or nothing. */
const foundOtherNode = join(cache, "other-node");
/** Set to 1, the server and the commands stay on the Node that started them. */
const staysSetting = "KEEP_NODE";

/**
 * A Node with an SQLite that Postern can use, where this one has none: it comes from the registry in
 * seconds, where a driver would be compiled for more than a minute. `undefined` if this Node will do,
 * or if the other one does not run here: npm has it for few platforms, and none of musl.
 */
const findOtherNode = async () => {
  if (hasSqlite() || process.env[staysSetting] === "1") return undefined;
  const wanted = fingerprint([join(nodeFolder, "pnpm-lock.yaml")], [process.platform, process.arch]);
  const [known, program] = stampOf(foundOtherNode).split(" ");
  if (known === wanted && (program === "none" || existsSync(otherNode))) {
    return program === "none" ? undefined : otherNode;
  }
  await findPnpm();
  const options = ["--ignore-workspace", "--frozen-lockfile", "--ignore-scripts", "--reporter=append-only"];
  await step("Getting Node 24", process.execPath, [stampOf(foundPnpm), "install", "--dir", nodeFolder, ...options], {
    environment: { ...process.env, ...quiet },
    logName: "other-node.log",
    phases: [],
    remedies: installRemedies,
  });
  const { stdout } = spawnSync(otherNode, ["-p", "process.versions.sqlite"], { encoding: "utf8" });
  const runs = hasSqlite(stdout?.trim() || undefined);
  writeFileSync(foundOtherNode, `${wanted} ${runs ? "runs" : "none"}`);
  return runs ? otherNode : undefined;
};

/** Runs this launcher again on the other Node; what it starts finds that one on the PATH, too. */
const onOtherNode = (program, args) => {
  const { version } = JSON.parse(readFileSync(join(dirname(program), "..", "package.json"), "utf8"));
  if (args[0] === "start") {
    progress.write(
      `Node ${process.versions.node} has no SQLite that Postern can use: this runs on Node ${version} from npm. ` +
        `To stay on yours, which compiles a driver once: ${staysSetting}=1 npm start\n`,
    );
  }
  const environment = withFirstOnPath(process.env, dirname(program));
  return foreground([fileURLToPath(import.meta.url), ...args], environment, { program, isServer: args[0] === "start" });
};

/**
 * Installs what is not there yet: what the server is built from, or with `all` also what tests and
 * checks need. A driver of SQLite is compiled where Node needs one, unless nothing runs on it. Its
 * binary interface is the same for all versions of Node, so another Node needs nothing anew.
 */
const install = async ({ all = true, runs = true } = {}) => {
  const files = [
    join(root, "pnpm-lock.yaml"),
    join(root, "pnpm-workspace.yaml"),
    join(root, "package.json"),
    ...packageFolders().map((folder) => join(folder, "package.json")),
  ];
  const stampPath = join(root, "node_modules", ".install-stamp");
  const stamp = fingerprint(files, [process.platform, process.arch]);
  const [known, ...parts] = stampOf(stampPath).split(" ");
  const has = new Set(known === stamp ? parts : []);
  const wanted = ["server", ...(all ? ["all"] : []), ...(hasSqlite() || !runs ? [] : ["sqlite3"])];
  const missing = wanted.filter((part) => !has.has(part));
  await findPnpm();
  if (missing.length === 0) return;
  const note = (...done) => {
    for (const part of done) has.add(part);
    writeFileSync(stampPath, [stamp, ...has].join(" "));
  };
  const pnpm = (what, ...args) =>
    step(what, process.execPath, [stampOf(foundPnpm), ...args, "--reporter=append-only"], {
      environment: withHeaders({ ...process.env, ...quiet }),
      logName: "install.log",
      phases: [],
      remedies: installRemedies,
    });
  if (missing.some((part) => part !== "sqlite3")) {
    // What tests need is taken away from nobody who has it.
    const only = all || existsSync(bin("vitest")) ? [] : ["--prod"];
    await pnpm("Installing dependencies", "install", "--frozen-lockfile", "--ignore-scripts", ...only);
    // What only reads begins now, beside the compiler.
    note(...missing.filter((part) => part !== "sqlite3"));
  }
  if (!missing.includes("sqlite3")) return;
  await pnpm("Compiling SQLite, once", "rebuild", "--recursive", "sqlite3");
  note("sqlite3");
};

/** Another run may start the program at this moment. A file that is open for writing cannot be started, so it is written beside its place. */
const putProgram = (path, text) => {
  if (stampOf(path) === text) return;
  const beside = `${path}.${process.pid}`;
  writeFileSync(beside, text, { mode: 0o755 });
  renameSync(beside, path);
};

const withFirstOnPath = (environment, folder) => {
  const pathName = Object.keys(environment).find((name) => name.toUpperCase() === "PATH") ?? "PATH";
  return { ...environment, [pathName]: folder + delimiter + (environment[pathName] ?? "") };
};

/**
 * Turbo starts the package manager that it finds on the PATH. A folder with one small program puts
 * the pinned pnpm there, so that nothing is installed outside of the project.
 */
const withPnpm = (environment) => {
  const folder = join(cache, "bin");
  mkdirSync(folder, { recursive: true });
  const words = `"${process.execPath}" "${stampOf(foundPnpm)}"`;
  putProgram(join(folder, "pnpm"), `#!/bin/sh\nexec ${words} "$@"\n`);
  putProgram(join(folder, "pnpm.cmd"), `@${words} %*\r\n`);
  return withFirstOnPath(environment, folder);
};

/** Builds what has changed as JavaScript. `pnpm build` makes the types, too. */
const bundle = () =>
  step("Building", process.execPath, [turbo, "run", "//#bundle", "--output-logs=errors-only"], {
    environment: withPnpm({ ...process.env, ...quiet }),
    logName: "build.log",
    phases: [],
    remedies: () => ["The lines above name the package and the error."],
  });

/**
 * Runs in the foreground with our terminal, and its exit code becomes ours. A Ctrl-C reaches it from
 * the terminal, too. The server takes two within a second for one, so a SIGINT that only we got is
 * passed on to it.
 */
const foreground = (args, environment, { program = process.execPath, isServer = false } = {}) =>
  new Promise((resolve) => {
    const child = spawn(program, args, { cwd: root, env: environment, stdio: "inherit" });
    const interrupt = () => isServer && child.kill("SIGINT");
    const end = () => child.kill("SIGTERM");
    process.on("SIGINT", interrupt).on("SIGTERM", end);
    child.on("close", (code, signal) => {
      process.off("SIGINT", interrupt).off("SIGTERM", end);
      resolve(code ?? (signal === "SIGINT" ? 130 : 1));
    });
  });

/**
 * In a container of 512 MB V8 would choose 1 MiB, and the server would spend half of its time
 * collecting garbage.
 */
const youngGeneration = "--max-semi-space-size=16";

/**
 * The log is pretty for people. The server writes JSON lines if you start it directly or set the
 * format.
 */
const forPeople = () => ({ POSTERN_LOG_FORMAT: "pretty", ...process.env });

/**
 * When all tests run, at most this many files may fail once. CI runs many files at a time, and a
 * file that failed only because it got too little processor time passes when it runs alone. A fault
 * of the product fails again. Both runs stay in the output. The faults and the laws get no second
 * run: what they find by chance is lost data or a broken law.
 */
const mostRunAgain = 2;
const neverRunAgain = /[\\/](faults|laws)[\\/]/;

/** The long forms say what they have tried, not only what has failed. */
const spoken = ["--silent=false"];

const runTests = async (args, resultsName) => {
  const results = join(cache, resultsName);
  rmSync(results, { force: true });
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${results}`];
  const code = await foreground([bin("vitest", "vitest.mjs"), "run", ...reporters, ...args], withPnpm(process.env));
  if (!existsSync(results)) return { code, failedFiles: [] };
  const read = JSON.parse(readFileSync(results, "utf8"));
  process.stdout.write(
    `\n${read.numPassedTests} passed, ${read.numFailedTests} failed, ${read.numPendingTests} skipped\n`,
  );
  return { code, failedFiles: read.testResults.filter(({ status }) => status === "failed").map(({ name }) => name) };
};

/** A line for each flaky file, which stays when the tests run again: each is to be mended or deleted. */
const noteFlakes = (files) => {
  const path = join(cache, "flakes.jsonl");
  const at = new Date().toISOString();
  appendFileSync(path, files.map((file) => `${JSON.stringify({ at, file: relative(root, file) })}\n`).join(""));
  const count = readFileSync(path, "utf8").trim().split("\n").length;
  const names = files.map((file) => relative(root, file)).join(", ");
  process.stdout.write(
    `\nFailed once, then passed alone: ${names}. The first failure is above; it has a cause.\n` +
      `Flakes so far: ${count} (${relative(root, path)}).\n`,
  );
};

const onSources = ["--conditions=@postern/source", "--import", "tsx"];
const checkGroups = {
  /** They only read files. */
  reading: [
    ["types", [join(root, "scripts", "types.mjs")]],
    ["code on pages", [join(root, "scripts", "documented-code.mjs")]],
    ["size", [join(root, "scripts", "sizes.mjs"), "--check"]],
    ["lint and format", [bin("@biomejs", "biome", "bin", "biome"), "check", "--error-on-warnings", "."]],
    [
      "boundaries",
      [
        bin("dependency-cruiser", "bin", "dependency-cruise.mjs"),
        "--config",
        ".dependency-cruiser.cjs",
        ...sourceFolders(),
        "examples",
      ],
    ],
    ["unused files, exports and dependencies", [bin("knip", "bin", "knip.js")]],
    [
      "contracts under redocly",
      [bin("@redocly", "cli", "bin", "cli.js"), "lint", "contracts/v1/openapi.json", "contracts/v2/openapi.json"],
    ],
    [
      "contracts under spectral",
      [
        bin("@stoplight", "spectral-cli", "dist", "index.js"),
        "lint",
        "--quiet",
        "--fail-severity=hint",
        "contracts/v1/openapi.json",
        "contracts/v2/openapi.json",
      ],
    ],
  ],
  /** They build and pack the packages, and use them as strangers would. What they need comes from the registry. */
  packaging: [
    // Packing builds what is not built, which would take the types away from a build beside it.
    ["a build of every package", [turbo, "run", "build", "--output-logs=errors-only"]],
    ["packaging", [turbo, "run", "packaging", "--output-logs=errors-only"]],
    [
      "the verifier's tarball on every runtime",
      [join(root, "packages", "webhook-verifier", "scripts", "runtimes.mjs")],
    ],
    // After the runtimes, of which it uses Bun.
    ["the tarballs in an empty folder", [join(root, "scripts", "tarballs.mjs")]],
  ],
  /** They start servers, or read nothing that is built. */
  running: [
    // hey-api and Orval at pinned versions, from the registry.
    ["clients that generators make from the contracts", [...onSources, join(root, "scripts", "generated-clients.ts")]],
    // VitePress comes from the registry.
    ["the site of the documentation", [...onSources, join(root, "scripts", "site.ts")]],
    ["SQLite with its other drivers", [join(root, "scripts", "sqlite-drivers.mjs")]],
    ["the way of a request", [...onSources, join(root, "benchmarks", "way", "run.ts")]],
    ["what PostgreSQL writes for an event", [...onSources, join(root, "benchmarks", "inbox", "written-bytes.ts")]],
    // Prism comes from the registry.
    ["the server behind a validating proxy", [...onSources, join(root, "scripts", "validating-proxy.ts")]],
  ],
  /** They measure what packaging has built, so they run after it, alone. */
  measuring: [["siege", [...onSources, join(root, "benchmarks", "siege", "run.ts"), "--ci"]]],
};

/** Tells the script `postern` which Node to start at once, as long as nothing has changed since then. */
const noteReady = (since) => {
  const path = join(cache, "postern-ready");
  writeFileSync(path, process.execPath);
  utimesSync(path, since, since);
};

/** These run Postern on SQLite, so they move to the other Node where this one has none. */
const runPostern = ["start", "dev", "postern"];

const commands = {
  start: async () => {
    await install({ all: false });
    await bundle();
    const server = join(root, "apps", "server", "dist", "main.js");
    return foreground([youngGeneration, server], forPeople(), { isServer: true });
  },
  test: async (args) => {
    await install();
    const watch = args.includes("--watch");
    const rest = args.filter((arg) => arg !== "--watch");
    mkdirSync(cache, { recursive: true });
    if (watch) return foreground([bin("vitest", "vitest.mjs"), "watch", ...rest], withPnpm(process.env));
    const { code, failedFiles: failed } = await runTests(rest, "test-results.json");
    const few = failed.length > 0 && failed.length <= mostRunAgain;
    if (rest.length > 0 || !few || failed.some((file) => neverRunAgain.test(file))) return code;
    const names = failed.map((file) => relative(root, file)).join(", ");
    process.stdout.write(`\nRun once more, without other tests beside them: ${names}\n`);
    const again = await runTests([...failed, "--maxWorkers=1"], "test-results-again.json");
    if (again.code === 0) noteFlakes(failed);
    return again.code;
  },
  /** Real faults, longer and harder than `test` runs them. */
  faults: async (args) => {
    await install();
    return foreground([bin("vitest", "vitest.mjs"), "run", "--project", "faults", ...spoken, ...args], {
      ...withPnpm(process.env),
      POSTERN_FAULTS: "long",
    });
  },
  /**
   * Forged webhooks for every scheme, for ten minutes (five on each of two platforms).
   * POSTERN_FUZZ_SECONDS sets the seconds for each platform.
   */
  fuzz: async (args) => {
    await install();
    return foreground([bin("vitest", "vitest.mjs"), "run", "--project", "fuzz", ...args], {
      POSTERN_FUZZ_SECONDS: "300",
      ...withPnpm(process.env),
    });
  },
  /**
   * The laws of resources and versions in random worlds: five minutes for each law;
   * POSTERN_LAWS_SECONDS changes that. `test` gives each three seconds.
   */
  laws: async (args) => {
    await install();
    const folder = join("packages", "storage-knex", "test", "laws");
    return foreground([bin("vitest", "vitest.mjs"), "run", "--project", "storage-knex", folder, ...spoken, ...args], {
      ...withPnpm(process.env),
      POSTERN_LAWS: "long",
    });
  },
  /** What CI checks in addition to the tests; with names of groups, only these groups. */
  checks: async (args) => {
    const groups = args.length === 0 ? Object.keys(checkGroups) : args;
    await install({ runs: groups.some((name) => name !== "reading") });
    const unknown = args.find((name) => !(name in checkGroups));
    if (unknown !== undefined) fail(`There is no group of checks "${unknown}".`, [Object.keys(checkGroups).join(", ")]);
    const environment = withPnpm({ ...process.env, ...quiet });
    for (const [what, step] of groups.flatMap((name) => checkGroups[name])) {
      process.stdout.write(`\n== ${what}\n`);
      // Once everything is built, nothing that is packed is built again.
      const built = what === "a build of every package" ? {} : { POSTERN_BUILT: "1" };
      const started = Date.now();
      const code = await foreground(step, { ...environment, ...built });
      process.stdout.write(`== ${what}: ${Math.round((Date.now() - started) / 1000)} s\n`);
      if (code !== 0) fail(`The check of ${what} failed.`, ["The lines above say where."]);
    }
    return 0;
  },
  dev: async (args) => {
    await install();
    return foreground(
      [
        bin("tsx", "dist", "cli.mjs"),
        "watch",
        "--conditions=@postern/source",
        join("apps", "server", "src", "main.ts"),
        ...args,
      ],
      forPeople(),
    );
  },
  bundle: async () => {
    await install();
    await bundle();
    return 0;
  },
  /** Builds the documentation, or serves it: `site dev`. */
  site: async (args) => {
    await install();
    return foreground([...onSources, join(root, "scripts", "site.ts"), ...args], withPnpm(process.env));
  },
  postern: async (args) => {
    const since = new Date();
    await install({ all: false });
    await bundle();
    noteReady(since);
    return foreground([join(root, "packages", "cli", "dist", "main.js"), ...args], process.env);
  },
};

requireNode();
const [name, ...args] = process.argv.slice(2);
const command = commands[name];
if (command === undefined) fail(`There is no command ${name}.`, [`Use one of: ${Object.keys(commands).join(", ")}.`]);
const program = runPostern.includes(name) ? await findOtherNode() : undefined;
process.exitCode = await (program === undefined ? command(args) : onOtherNode(program, [name, ...args]));
