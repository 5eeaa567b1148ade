// Makes clients with hey-api and openapi-typescript (under this Node) and Orval 7 and 8 (under Node
// 24), as they come, without options. Compiles them strictly, and lets each make calls to a real
// server. It makes them from the recorded contracts and from the document of an application that has
// a resource of its own. `test/client-types.test.ts` and the tests of `@postern/client` check
// openapi-typescript on the contracts. With `--java` the generator is openapi-generator (TypeScript),
// which needs Java and, from Maven, its own file; OPENAPI_GENERATOR_JAR names that file where Maven
// cannot be reached.
//   node --conditions=@postern/source --import tsx scripts/generated-clients.ts
import { spawn } from "node:child_process";
import { copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { builtInVersions, createApp } from "@postern/app";
import { choice, defineResource, integer, nullable, ownedBy, reference, text } from "@postern/core";
import { memoryPorts } from "@postern/core/memory";
import { createHttpServer } from "@postern/http/node";

/** Exact versions, so that a new release of a generator changes nothing until we adopt it. */
const packages = {
  "hey-api": ["@hey-api/openapi-ts@0.95.0", "typescript@5.9.3"],
  orval: ["node@24.11.0", "orval@8.38.0"],
  "orval-7": ["node@24.11.0", "orval@7.13.2"],
  // It gets the file of the generator from Maven.
  "openapi-generator": ["@openapitools/openapi-generator-cli@2.41.0"],
} as const;

/** The version of openapi-generator, as Maven has it. */
const openapiGenerator = "7.25.0";

/** A resource of an application, with members that a request may leave out for different reasons. */
const task = defineResource({
  name: "task",
  plural: "tasks",
  description: "A task.",
  fields: {
    user_id: reference("user", { onDelete: "cascade", as: "owner", description: "Who has it." }),
    title: text(100, { sort: "everyone", filter: "everyone", description: "What is to be done." }),
    state: choice(["open", "done"], { default: "open", filter: "everyone", description: "How far it is." }),
    priority: integer({ min: 1, max: 9, default: 5, sort: "everyone", description: "1 is first." }),
    note: nullable(text(500, { description: "What else there is to say." })),
  },
  owner: "user_id",
  access: { read: ownedBy("user_id"), update: ownedBy("user_id"), delete: ownedBy("user_id") },
});

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

/** What a call to the resource of the application must get. */
const expectTask = `
const expectTask = (made: Task | undefined, listed: readonly { readonly title?: string }[] | undefined): void => {
  if (made?.state !== "open" || made.priority !== 5 || listed?.[0]?.title !== "Write") {
    throw new Error(JSON.stringify([made, listed]));
  }
};
`;

/** The members with a default are left out, and lists are given as lists. */
const listed = '{ fields: ["id", "title"], sort: ["-priority", "title"], "filter[state][in]": ["open", "done"] }';

const heyOwnCall = (token: string, origin: string): string => `
import { client } from "./generated/client.gen";
import { tasksCreate, tasksList } from "./generated/sdk.gen";
import type { Task } from "./generated/types.gen";
${expectTask}
client.setConfig({ baseUrl: "${origin}/api/v2", headers: { authorization: "Bearer ${token}" } });
const made = await tasksCreate({ body: { title: "Write" } });
const found = await tasksList({ query: ${listed} });
expectTask(made.data === undefined || !("state" in made.data) ? undefined : (made.data as Task), found.data?.data);
`;

const orvalOwnCall = (token: string): string => `
import { type Task, tasksCreate, tasksList } from "./generated";
${expectTask}
const headers = { authorization: "Bearer ${token}" };
const made = await tasksCreate({ title: "Write" }, undefined, { headers });
const found = await tasksList(${listed}, { headers });
expectTask(made.status === 201 ? (made.data as Task) : undefined, found.status === 200 ? found.data.data : undefined);
`;

const openapiTypescriptOwnCall = (token: string, origin: string): string => `
import createClient from "openapi-fetch";
import type { components, paths } from "./generated";
type Task = components["schemas"]["task"];
${expectTask}
const client = createClient<paths>({ baseUrl: "${origin}/api/v2", headers: { authorization: "Bearer ${token}" } });
const made = await client.POST("/tasks", { body: { title: "Write" } });
const found = await client.GET("/tasks", { params: { query: ${listed} } });
expectTask(made.data as Task | undefined, found.data?.data);
`;

const openapiGeneratorOwnCall = (token: string, origin: string): string => `
import { Configuration, type Task, TasksApi } from "./generated";
${expectTask}
const api = new TasksApi(new Configuration({ basePath: "${origin}/api/v2", accessToken: "${token}" }));
const made = await api.tasksCreate({ taskCreate: { title: "Write" } });
const found = await api.tasksList({ fields: ["id", "title"], sort: ["-priority", "title"] });
expectTask(made as Task, found.data);
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

/** A client of a document: its folder, and the call that it makes. */
type Making = (contract: string, folder: string, call: string, signal: AbortSignal) => Promise<void>;

const withCall = async (folder: string, call: string): Promise<void> => {
  await mkdir(folder);
  await writeFile(join(folder, "call.ts"), call);
};

const makeHey: Making = async (contract, folder, call, signal) => {
  await withCall(folder, call);
  await npx(
    "hey-api",
    ["openapi-ts", "-i", contract, "-o", "generated", "-c", "@hey-api/client-fetch"],
    folder,
    signal,
  );
};

const makeOrval =
  (generator: "orval" | "orval-7", baseUrl: string): Making =>
  async (contract, folder, call, signal) => {
    await withCall(folder, call);
    await writeFile(join(folder, "orval.config.ts"), orvalConfig(contract, baseUrl));
    await npx(generator, ["orval", "--config", "./orval.config.ts"], folder, signal);
  };

const makeOpenapiTypescript: Making = async (contract, folder, call, signal) => {
  await withCall(folder, call);
  const cli = join(root, "node_modules", "openapi-typescript", "bin", "cli.js");
  await run(process.execPath, [cli, contract, "-o", "generated.ts"], folder, signal);
};

/** @throws Error that says what is missing. */
const makeOpenapiGenerator: Making = async (contract, folder, call, signal) => {
  await withCall(folder, call);
  const wanted = ["generate", "-i", contract, "-g", "typescript-fetch", "-o", "generated"];
  const jar = process.env.OPENAPI_GENERATOR_JAR;
  await run("java", ["-version"], folder, signal).catch((cause: unknown) => {
    throw new Error("Java is missing, on which openapi-generator runs", { cause });
  });
  if (jar !== undefined) return run("java", ["-jar", jar, ...wanted], folder, signal);
  const pinned = { "generator-cli": { version: openapiGenerator } };
  await writeFile(join(folder, "openapitools.json"), JSON.stringify(pinned));
  await npx("openapi-generator", ["openapi-generator-cli", ...wanted], folder, signal).catch((cause: unknown) => {
    const file = `org.openapitools:openapi-generator-cli:${openapiGenerator}`;
    throw new Error(`${file} is missing: Maven gave none. Set OPENAPI_GENERATOR_JAR to its file`, { cause });
  });
};

/** Makes the clients of a recorded contract. */
const make = async (version: string, origin: string, folder: string, signal: AbortSignal): Promise<void> => {
  const contract = join(folder, `${version}.json`);
  await copyFile(join(root, "contracts", version, "openapi.json"), contract);
  await makeHey(contract, join(folder, `hey-${version}`), heyCall(version, origin), signal);
  for (const generator of ["orval", "orval-7"] as const) {
    const making = makeOrval(generator, `${origin}/api/${version}`);
    await making(contract, join(folder, `${generator}-${version}`), orvalCall(version, generator), signal);
  }
};

/** Signs a user up and in, whose tasks the clients make. */
const tokenAt = async (origin: string, name: string): Promise<string> => {
  const credentials = { email: `${name}@example.com`, password: "correct horse battery" };
  const send = (path: string, body: object) =>
    fetch(`${origin}/api/v2${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  await send("/users", { name, ...credentials });
  return ((await (await send("/sessions", credentials)).json()) as { access_token: string }).access_token;
};

/** The document of the application, as its server gives it. */
const ownContract = async (origin: string, folder: string, signal: AbortSignal): Promise<string> => {
  const contract = join(folder, "own.json");
  await writeFile(contract, await (await fetch(`${origin}/api/v2/openapi.json`, { signal })).text());
  return contract;
};

/** Makes the clients of the application. */
const makeOwn = async (origin: string, folder: string, signal: AbortSignal): Promise<void> => {
  const contract = await ownContract(origin, folder, signal);
  const token = (name: string) => tokenAt(origin, `own-${name}`);
  await makeHey(contract, join(folder, "hey-own"), heyOwnCall(await token("hey"), origin), signal);
  for (const generator of ["orval", "orval-7"] as const) {
    const making = makeOrval(generator, `${origin}/api/v2`);
    await making(contract, join(folder, `${generator}-own`), orvalOwnCall(await token(generator)), signal);
  }
  const call = openapiTypescriptOwnCall(await token("openapi-typescript"), origin);
  await makeOpenapiTypescript(contract, join(folder, "openapi-typescript-own"), call, signal);
};

const withJava = process.argv.includes("--java");
const folder = await mkdtemp(join(tmpdir(), "postern-clients-"));
const server = createHttpServer(createApp({ versions: builtInVersions, ports: memoryPorts(), resources: [task] }));

/** Makes all clients. Returns the names of their folders. */
const makeAll = async (origin: string, signal: AbortSignal): Promise<readonly string[]> => {
  if (withJava) {
    const call = openapiGeneratorOwnCall(await tokenAt(origin, "own-java"), origin);
    const contract = await ownContract(origin, folder, signal);
    await makeOpenapiGenerator(contract, join(folder, "openapi-generator-own"), call, signal);
    return ["openapi-generator-own"];
  }
  for (const version of ["v1", "v2"]) await make(version, origin, folder, signal);
  await makeOwn(origin, folder, signal);
  const made = ["hey", "orval", "orval-7"].flatMap((one) => [`${one}-v1`, `${one}-v2`, `${one}-own`]);
  return [...made, "openapi-typescript-own"];
};

try {
  const { url } = await server.listen();
  if (!withJava) {
    const download = AbortSignal.timeout(downloadMs);
    await npx("hey-api", ["openapi-ts", "--version"], folder, download);
    for (const generator of ["orval", "orval-7"] as const) {
      await npx(generator, ["orval", "--version"], folder, download);
    }
  }
  const begun = performance.now();
  const signal = AbortSignal.timeout(workMs);
  await writeFile(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify(strictest));
  // As an application has it beside its own code.
  await mkdir(join(folder, "node_modules"));
  await symlink(
    join(root, "packages", "client", "node_modules", "openapi-fetch"),
    join(folder, "node_modules", "openapi-fetch"),
  );
  const clients = await makeAll(url, signal);
  await run(process.execPath, [require.resolve("typescript/bin/tsc"), "-p", folder], folder, signal);
  for (const client of clients) {
    const call = join(folder, client, "call.ts");
    await run(process.execPath, ["--import", pathToFileURL(require.resolve("tsx")).href, call], folder, signal);
    process.stdout.write(`${client}: compiles strictly, and its calls are answered\n`);
  }
  process.stdout.write(`in ${Math.round((performance.now() - begun) / 1000)} s\n`);
} finally {
  await server.close({ graceMs: 0 });
  await rm(folder, { recursive: true, force: true });
}
