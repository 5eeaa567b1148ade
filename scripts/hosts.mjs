/**
 * Makes applications from the packed packages and the files of `examples/hosts` where a server is more
 * than a function: Next.js (`next build`, `next start`, `next dev`), Hono on Bun, and one file made by
 * esbuild. Each gets a signed webhook, has to run its handler, and keeps its own pages. A test runs
 * under Jest.
 */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { plainEnvironment } from "./plain-environment.mjs";

/** What npm installs in addition to the packages. */
export const hostLibraries = {
  next: "16.4.6",
  react: "19.3.1",
  "react-dom": "19.3.1",
  "@types/react": "19.2.18",
  esbuild: "0.28.2",
  jest: "30.5.2",
};

const examples = fileURLToPath(new URL("../examples/hosts", import.meta.url));
const bun = fileURLToPath(new URL("../.cache/runtimes/node_modules/.bin/bun", import.meta.url));
const secret = "whsec_0123456789abcdef0123";
const startMs = 60_000;
const page = "Your own page.";

const freePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

/** Asks until `isSo` says yes. @throws Error with what the host has printed, if it never does. */
const until = async (isSo, host) => {
  const end = performance.now() + startMs;
  while (!(await isSo().catch(() => false))) {
    if (host.process.exitCode !== null || performance.now() > end) throw new Error(`The host failed:\n${host.output}`);
    await sleep(50);
  }
};

/** A delivery whose bytes no parser and writer of JSON would leave as they are. */
const signed = async (folder, id = "evt_1") => {
  const verifier = join(folder, "node_modules", "@postern", "webhook-verifier", "dist");
  const { sign } = await import(pathToFileURL(join(verifier, "index.js")).href);
  const { stripe } = await import(pathToFileURL(join(verifier, "schemes", "stripe.js")).href);
  const body = `{"id": "${id}",  "object":"event","type":"invoice.paid","data":{"object":{"amount":1.0,"name":"\\u00e9 é"}}}`;
  const headers = { "content-type": "application/json", ...(await sign(stripe, { keys: secret, body })) };
  return { method: "POST", headers, body };
};

/** Starts a host, does `beforeReady` and `whileServed` with it, and stops it as its page says, within 10 s. */
const visit = async ({ name, command, args, folder, environment = {}, beforeReady, whileServed }) => {
  const began = performance.now();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const env = {
    ...plainEnvironment(),
    PORT: String(port),
    HOSTNAME: "127.0.0.1",
    STRIPE_SECRET: secret,
    DATABASE_URL: `sqlite:${join(folder, `${name.replaceAll(/\W/g, "")}.db`)}`,
    ...environment,
  };
  const host = { process: spawn(command, args, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] }), output: "" };
  for (const stream of [host.process.stdout, host.process.stderr])
    stream.on("data", (text) => {
      host.output += text;
    });
  try {
    await beforeReady?.(url, host);
    await until(async () => (await fetch(`${url}/postern/health/ready`)).ok, host);
    const answer = await fetch(`${url}/postern/api/webhooks/stripe`, await signed(folder));
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`${name} answered the webhook ${answer.status} ${text}`);
    await until(async () => host.output.includes("invoices: invoice.paid"), host);
    if (!(await (await fetch(`${url}/`)).text()).includes(page)) throw new Error(`${name} lost its own page.`);
    await whileServed?.(url, host);
    const stopped = performance.now();
    host.process.kill("SIGTERM");
    await once(host.process, "exit");
    if (performance.now() - stopped > 10_000) throw new Error(`${name} took more than 10 s to stop:\n${host.output}`);
  } finally {
    host.process.kill("SIGKILL");
  }
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  process.stdout.write(`${name} starts, takes a signed webhook, runs its handler and stops: ${seconds} s.\n`);
};

const layout = `import type { ReactNode } from "react";

export default ({ children }: { children: ReactNode }) => (
  <html lang="en">
    <body>{children}</body>
  </html>
);
`;

const person = { email: "root@example.com", password: "correct horse battery" };

/** Leads to a database server once it is opened. */
const gateTo = async (database) => {
  const { hostname, port } = new URL(database);
  const here = await freePort();
  const gate = createServer((socket) => {
    const beyond = connect(Number(port || 5432), hostname);
    for (const one of [socket, beyond]) one.on("error", () => one.destroy());
    socket.pipe(beyond).pipe(socket);
  });
  const url = new URL(database);
  url.hostname = "127.0.0.1";
  url.port = String(here);
  return { url: url.href, open: () => gate.listen(here, "127.0.0.1"), close: () => gate.close() };
};

/** A console that is open: its page, without a redirect that never ends, and its feed. */
const openConsole = async (url) => {
  const text = await (await fetch(`${url}/postern/console/`)).text();
  if (!text.includes('<div id="console">')) throw new Error(`The console is not there:\n${text}`);
  const headers = { "content-type": "application/json" };
  const signedIn = await fetch(`${url}/postern/api/v1/sessions`, {
    method: "POST",
    headers,
    body: JSON.stringify(person),
  });
  const { access_token: token } = await signedIn.json();
  const feed = await fetch(`${url}/postern/api/v1/admin/feed`, { headers: { authorization: `Bearer ${token}` } });
  if (feed.status !== 200) throw new Error(`The feed was answered ${feed.status}.`);
  void feed.text().catch(() => undefined);
};

/** With a Node whose SQLite needs no compiler. The database is away while it starts, if there is a server for one. */
const tryNext = async (folder, node) => {
  cpSync(join(examples, "next"), folder, { recursive: true });
  writeFileSync(join(folder, "app", "layout.tsx"), layout);
  writeFileSync(join(folder, "app", "page.tsx"), `export default () => "${page}";\n`);
  const options = join(folder, "lib", "options.ts");
  const more = `console: "on", admin: ${JSON.stringify(person)}, secretKey: ${JSON.stringify(Buffer.alloc(32, 7).toString("base64"))},`;
  writeFileSync(options, readFileSync(options, "utf8").replace("basePath", `${more}\n  basePath`));
  const next = join(folder, "node_modules", "next", "dist", "bin", "next");
  const began = performance.now();
  const env = { ...plainEnvironment(), NEXT_TELEMETRY_DISABLED: "1", NODE_ENV: "production" };
  try {
    execFileSync(node, [next, "build"], { cwd: folder, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  } catch (thrown) {
    throw new Error(`next build failed:\n${thrown.stdout}${thrown.stderr}`);
  }
  process.stdout.write(`next build: ${((performance.now() - began) / 1000).toFixed(1)} s.\n`);
  const server = process.env.POSTERN_TEST_POSTGRES_URL;
  const gate = server === undefined ? undefined : await gateTo(`${server}?schema=postern_next`);
  const environment = { NEXT_MANUAL_SIG_HANDLE: "true", ...(gate && { DATABASE_URL: gate.url }) };
  const beforeReady = async (url, host) => {
    if (gate === undefined) return;
    await until(async () => (await (await fetch(`${url}/`)).text()).includes(page), host);
    const early = await fetch(`${url}/postern/health/ready`);
    if (early.ok) throw new Error("Postern is ready without its database.");
    gate.open();
  };
  const args = [next, "start", "--hostname", "127.0.0.1"];
  await visit({ name: "Next.js", command: node, args, folder, environment, beforeReady, whileServed: openConsole });
  gate?.close();

  const changeHandler = async (url, host) => {
    writeFileSync(options, readFileSync(options, "utf8").replace("invoices: $", "changed: $"));
    let sent = 0;
    await until(async () => {
      sent += 1;
      await (await fetch(`${url}/postern/api/webhooks/stripe`, await signed(folder, `evt_changed_${sent}`))).text();
      return host.output.includes("changed: invoice.paid");
    }, host);
  };
  const dev = [next, "dev", "--hostname", "127.0.0.1"];
  const inDevelopment = { ...environment, DATABASE_URL: `sqlite:${join(folder, "dev.db")}`, NODE_ENV: "development" };
  await visit({
    name: "next dev",
    command: node,
    args: dev,
    folder,
    environment: inDevelopment,
    whileServed: changeHandler,
  });
};

/** In a folder without the packages but for what has a compiled part. */
const tryBundle = async (folder, node) => {
  const made = join(folder, "bundle");
  cpSync(join(examples, "bundle"), made, { recursive: true });
  const build = join(made, "build.mjs");
  writeFileSync(build, readFileSync(build, "utf8").replace("minify: true,", "minify: true,\n  keepNames: true,"));
  execFileSync(node, ["build.mjs"], { cwd: made, stdio: ["ignore", "ignore", "inherit"] });
  await visit({ name: "One file", command: node, args: [join("bundle", "dist", "app.mjs")], folder });
};

const tryJest = (folder, node) => {
  const made = join(folder, "jest");
  cpSync(join(examples, "jest"), made, { recursive: true });
  // The second opening meets files that are there.
  writeFileSync(
    join(made, "twice.test.mjs"),
    `import { test } from "@jest/globals";
import { openPostern } from "postern";
test("opens a file twice", async () => {
  for (const _ of [1, 2]) await (await openPostern({ database: "sqlite:./twice/app.db" })).stop();
});
`,
  );
  const env = { ...plainEnvironment(), NODE_OPTIONS: "--experimental-vm-modules --no-warnings" };
  const jest = join(folder, "node_modules", "jest", "bin", "jest.js");
  execFileSync(node, [jest, "--rootDir", made, "--config", join(made, "jest.config.mjs")], {
    cwd: made,
    env,
    stdio: ["ignore", "ignore", "inherit"],
  });
  process.stdout.write("Tests under Jest pass, with a SQLite file that is opened twice.\n");
};

/** `packages/webhook-verifier/scripts/runtimes.mjs` installs Bun. */
const tryBun = async (folder) => {
  if (!existsSync(bun)) {
    process.stdout.write("Hono on Bun: left out, because runtimes.mjs has not installed Bun.\n");
    return;
  }
  const file = join(folder, "bun", "bun.ts");
  mkdirSync(join(folder, "bun"));
  cpSync(join(examples, "bun.ts"), file);
  await visit({ name: "Hono on Bun", command: bun, args: [file], folder });
};

/** The packages and `hostLibraries` are installed in `folder`; `node` is a Node 24. */
export const tryHosts = async (folder, node) => {
  await tryNext(folder, node);
  await tryBundle(folder, node);
  tryJest(folder, node);
  await tryBun(folder);
};
