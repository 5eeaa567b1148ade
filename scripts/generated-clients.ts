// Makes clients from the recorded contracts with hey-api (under this Node) and Orval 7 and 8 (under
// Node 24), compiles them strictly, and lets each make one call to a real server.
// `test/client-types.test.ts` and the tests of `@postern/client` check openapi-typescript.
//   node --conditions=@postern/source --import tsx scripts/generated-clients.ts
import { spawn } from "node:child_process";
import { copyFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { createApp } from "@postern/app";
import { memoryPorts } from "@postern/core/memory";
import { createHttpServer } from "@postern/http/node";

/** Exact versions, so that a new release of a generator changes nothing until we adopt it. */
const packages = {
  "hey-api": ["@hey-api/openapi-ts@0.95.0", "typescript@5.9.3"],
  orval: ["node@24.11.0", "orval@8.38.0"],
  "orval-7": ["node@24.11.0", "orval@7.13.2"],
} as const;

/** Guards against a check that hangs. The registry may be slow, and so may a machine with other work. */
const downloadMs = 420_000;
const workMs = 300_000;

const root = fileURLToPath(new URL("..", import.meta.url));
const require = createRequire(import.meta.url);

const run = (command: string, args: readonly string[], cwd: string, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      signal,
      stdio: ["ignore", "pipe", "pipe"],
      shell: process.platform === "win32",
    });
    const said: string[] = [];
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => said.push(String(chunk)));
    child.on("error", reject);
    child.on("close", (code) => {
      if (code === 0) resolve();
      else reject(new Error(`${command} ${args.join(" ")} ended with ${code}:\n${said.join("").slice(-4000)}`));
    });
  });

/**
 * Runs a tool from the registry. If the registry cannot be reached, this fails, because otherwise
 * the check would pass without checking anything.
 */
const npx = (name: keyof typeof packages, args: readonly string[], cwd: string, signal: AbortSignal): Promise<void> =>
  run("npx", ["--yes", "--loglevel=error", ...packages[name].map((one) => `--package=${one}`), ...args], cwd, signal);

const credentials = (version: string, generator: string) =>
  `{ email: "${generator}-${version}@example.com", password: "correct horse battery" }`;

/** The compiler checks that each member of a row exists. */
const members = (version: string): string => `
export const told = (post: Post, user: User): readonly string[] => [post.id, post.title, post.${version === "v1" ? "content" : "body"}, user.email];
`;

/**
 * A sign-up and a sign-in: the server must accept what the client sends, and the client what the
 * server answers.
 */
const heyCall = (version: string, origin: string): string => `
import { client } from "./generated/client.gen";
import { sessionsCreate, usersCreate } from "./generated/sdk.gen";
import type { Post, User } from "./generated/types.gen";
${members(version)}
client.setConfig({ baseUrl: "${origin}/api/${version}" });
const credentials = ${credentials(version, "hey")};
await usersCreate({ body: { name: "Ada", ...credentials } });
const { data, error } = await sessionsCreate({ body: credentials });
const token: string | undefined = data?.access_token;
if (token === undefined) throw new Error(JSON.stringify(error ?? "no answer"));
`;

const orvalCall = (version: string, generator: string): string => `
import { type Post, sessionsCreate, type User, usersCreate } from "./generated";
${members(version)}
const credentials = ${credentials(version, generator)};
await usersCreate({ name: "Ada", ...credentials });
const answer = await sessionsCreate(credentials);
if (answer.status !== 201) throw new Error(JSON.stringify(answer));
export const token: string = answer.data.access_token;
`;

const orvalConfig = (contract: string, baseUrl: string): string => `
export default { api: { input: ${JSON.stringify(contract)}, output: { target: "generated.ts", client: "fetch", mode: "single", baseUrl: ${JSON.stringify(baseUrl)} } } };
`;

const strictest = {
  compilerOptions: {
    target: "ES2022",
    lib: ["ES2022", "DOM", "DOM.Iterable"],
    module: "ESNext",
    moduleResolution: "bundler",
    strict: true,
    noUncheckedIndexedAccess: true,
    noImplicitOverride: true,
    noImplicitReturns: true,
    noFallthroughCasesInSwitch: true,
    noEmit: true,
    types: [],
  },
  include: ["."],
};

const make = async (version: string, origin: string, folder: string, signal: AbortSignal): Promise<void> => {
  const contract = join(folder, `${version}.json`);
  await copyFile(join(root, "contracts", version, "openapi.json"), contract);
  const hey = join(folder, `hey-${version}`);
  await mkdir(hey);
  await writeFile(join(hey, "call.ts"), heyCall(version, origin));
  await npx("hey-api", ["openapi-ts", "-i", contract, "-o", "generated", "-c", "@hey-api/client-fetch"], hey, signal);
  for (const generator of ["orval", "orval-7"] as const) {
    const orval = join(folder, `${generator}-${version}`);
    await mkdir(orval);
    await writeFile(join(orval, "call.ts"), orvalCall(version, generator));
    await writeFile(join(orval, "orval.config.ts"), orvalConfig(contract, `${origin}/api/${version}`));
    await npx(generator, ["orval", "--config", "./orval.config.ts"], orval, signal);
  }
};

const folder = await mkdtemp(join(tmpdir(), "postern-clients-"));
const server = createHttpServer(createApp({ ports: memoryPorts() }));
try {
  const { url } = await server.listen();
  const download = AbortSignal.timeout(downloadMs);
  await npx("hey-api", ["openapi-ts", "--version"], folder, download);
  for (const generator of ["orval", "orval-7"] as const) await npx(generator, ["orval", "--version"], folder, download);
  const begun = performance.now();
  const signal = AbortSignal.timeout(workMs);
  await writeFile(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify(strictest));
  for (const version of ["v1", "v2"]) await make(version, url, folder, signal);
  await run(process.execPath, [require.resolve("typescript/bin/tsc"), "-p", folder], folder, signal);
  for (const generator of ["hey", "orval", "orval-7"]) {
    for (const version of ["v1", "v2"]) {
      const call = join(folder, `${generator}-${version}`, "call.ts");
      await run(process.execPath, ["--import", pathToFileURL(require.resolve("tsx")).href, call], folder, signal);
      process.stdout.write(`${generator} ${version}: compiles strictly, and its call is answered\n`);
    }
  }
  process.stdout.write(`in ${Math.round((performance.now() - begun) / 1000)} s\n`);
} finally {
  await server.close({ graceMs: 0 });
  await rm(folder, { recursive: true, force: true });
}
