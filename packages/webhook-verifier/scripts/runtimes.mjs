/**
 * Installs the package from its tarball in an empty folder and verifies one delivery with it on
 * every runtime that the README names: Node 20 and 24 (as a module and by `require`), Bun, Deno,
 * workerd, and in a browser. The runtimes come from the npm registry and stay in `.cache/runtimes`.
 * The browser is Chromium, if it is installed. Run it after `pnpm build`: `node
 * scripts/runtimes.mjs`.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const runtimes = fileURLToPath(new URL("../../../.cache/runtimes", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "verifier-runtimes-"));
const windows = process.platform === "win32";

/** Exact versions, so that the release of a runtime does not break our build. */
const wanted = {
  "node-20": "npm:node@20.20.2",
  "node-24": "npm:node@24.21.0",
  bun: "1.4.5",
  deno: "2.9.6",
  workerd: "1.20261117.1",
};

const npm = (args, cwd) =>
  execFileSync(windows ? "npm.cmd" : "npm", [...args, "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    shell: windows,
  });

const installRuntimes = () => {
  const manifest = `${JSON.stringify({ private: true, dependencies: wanted }, null, 2)}\n`;
  const path = join(runtimes, "package.json");
  const done = join(runtimes, "installed");
  if (existsSync(done) && readFileSync(done, "utf8") === manifest) return;
  rmSync(runtimes, { recursive: true, force: true });
  mkdirSync(runtimes, { recursive: true });
  writeFileSync(path, manifest);
  npm(["install", "--no-package-lock", "--foreground-scripts=false"], runtimes);
  writeFileSync(done, manifest);
};

/** Packs, without repeating the build as `prepack` would. */
const installPackage = () => {
  if (!existsSync(join(root, "dist", "index.d.ts"))) throw new Error("dist has no types: run pnpm build first.");
  npm(["pack", "--ignore-scripts", "--pack-destination", folder], root);
  const tarball = readdirSync(folder).find((name) => name.endsWith(".tgz"));
  writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
  npm(["install", "--offline", "--no-package-lock", join(folder, tarball)], folder);
};

const names = "createVerifier, sign, WebhookVerificationError";
const work = `
const check = async () => {
  const keys = "whsec_0123456789abcdef";
  const body = '{"id":"evt_1","type":"invoice.paid"}';
  const headers = await sign(stripe, { keys, body });
  const verifier = createVerifier(stripe, { keys });
  const delivery = await verifier.verify({ headers, body });
  const forged = await verifier.verify({ headers, body: body.replace("paid", "void") }).catch((error) => error);
  if (delivery.id !== "evt_1" || delivery.type !== "invoice.paid") throw new Error("the delivery is not the one sent");
  if (!(forged instanceof WebhookVerificationError) || forged.code !== "signature_mismatch") throw new Error("a forged delivery was accepted");
  return "verified";
};
`;
const imports = `import { ${names} } from "@postern/webhook-verifier";
import { stripe } from "@postern/webhook-verifier/schemes/stripe";
${work}`;

/** The Worker of the documentation receives a delivery as well. */
const workerTest = `import worker from "./example.ts";
${imports}
const send = async () => {
  const body = '{"id":"evt_1","type":"invoice.paid"}';
  const headers = await sign(stripe, { keys: "whsec_0123456789abcdef", body });
  const request = new Request("https://example.com/", { method: "POST", headers, body });
  const { status } = await worker.fetch(request, { STRIPE_SECRET: "whsec_0123456789abcdef" });
  if (status !== 200) throw new Error("the Worker answered " + status);
};
export default { async test() { await send(); console.log(await check()); } };
`;

const program = (name, text) => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

/** As a bundler for that runtime does it; fails for anything of Node. */
const bundled = async (name, text, conditions) => {
  const outfile = join(folder, name);
  await build({
    stdin: { contents: text, resolveDir: folder },
    bundle: true,
    outfile,
    format: "esm",
    platform: "neutral",
    conditions,
    logLevel: "error",
  });
  return outfile;
};

const binary = (name) => {
  const paths = {
    "node-20": ["node-20", "bin", windows ? "node.exe" : "node"],
    "node-24": ["node-24", "bin", windows ? "node.exe" : "node"],
  };
  return join(runtimes, "node_modules", ...(paths[name] ?? [".bin", windows ? `${name}.cmd` : name]));
};

const run = (what, command, args) => {
  const started = performance.now();
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd: folder,
    encoding: "utf8",
    timeout: 30_000,
    env: { ...process.env, NO_COLOR: "1", DENO_NO_UPDATE_CHECK: "1" },
  });
  if (status !== 0 || !`${stdout}${stderr}`.includes("verified")) {
    process.stderr.write(`${what} failed (${error ?? `exit code ${status}`}):\n${stdout}\n${stderr}\n`);
    process.exitCode = 1;
    return;
  }
  process.stdout.write(`${what}: verified in ${Math.round(performance.now() - started)} ms\n`);
};

const workerdConfig = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (services = [(name = "main", worker = .main)]);
const main :Workerd.Worker = (modules = [(name = "worker.js", esModule = embed "worker.js")], compatibilityDate = "2026-01-01");
`;

const browsers = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

const runInBrowser = async () => {
  const browser = browsers.find((path) => existsSync(path));
  if (browser === undefined) {
    process.stdout.write("Chromium: not installed, left out\n");
    return;
  }
  const script = await bundled(
    "page.js",
    `${imports}\ncheck().then((text) => { document.title = text; }, (error) => { document.title = String(error); });`,
    ["browser"],
  );
  const page = program(
    "page.html",
    `<!doctype html><title>waiting</title><script>${readFileSync(script, "utf8")}</script>`,
  );
  const sandbox = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  const flags = [
    "--headless",
    "--disable-gpu",
    `--user-data-dir=${join(folder, "profile")}`,
    "--virtual-time-budget=5000",
  ];
  const { stdout = "", stderr } = spawnSync(browser, [...flags, ...sandbox, "--dump-dom", `file://${page}`], {
    encoding: "utf8",
    timeout: 30_000,
  });
  // It is read from the title, because the script itself contains the word.
  const title = /<title>(.*?)<\/title>/.exec(stdout ?? "")?.[1];
  if (title === "verified") process.stdout.write("Chromium: verified\n");
  else {
    process.stderr.write(`Chromium failed: ${title}\n${stderr}\n`);
    process.exitCode = 1;
  }
};

try {
  installRuntimes();
  installPackage();
  const asModule = program("module.mjs", `${imports}\nconsole.log(await check());\n`);
  const required = program(
    "required.cjs",
    `const { ${names} } = require("@postern/webhook-verifier");
const { stripe } = require("@postern/webhook-verifier/schemes/stripe");
${work}
check().then(console.log, (error) => { console.error(error); process.exitCode = 1; });
`,
  );
  for (const [name, title] of [
    ["node-20", "Node 20"],
    ["node-24", "Node 24"],
  ]) {
    run(`${title}, module`, binary(name), [asModule]);
    run(`${title}, require`, binary(name), [required]);
  }
  run("Bun", binary("bun"), [asModule]);
  run("Deno", binary("deno"), [
    "run",
    "--no-remote",
    "--node-modules-dir=manual",
    "--allow-read",
    "--allow-env",
    asModule,
  ]);
  program("example.ts", readFileSync(join(root, "..", "..", "examples", "hosts", "worker.ts"), "utf8"));
  await bundled("worker.js", workerTest, ["workerd", "worker", "browser"]);
  program("workerd.capnp", workerdConfig);
  run("workerd", binary("workerd"), ["test", "--verbose", "workerd.capnp"]);
  await runInBrowser();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
