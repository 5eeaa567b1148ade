/**
 * Makes applications from the packed packages and the files of `examples/hosts` where a server is more
 * than a function: Next.js (`next build`, `next start`) and Hono on Bun. Each gets a signed webhook,
 * has to run its handler, and keeps its own pages.
 */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { plainEnvironment } from "./plain-environment.mjs";

/** What npm installs in addition to the packages. */
export const hostLibraries = { next: "16.4.6", react: "19.3.1", "react-dom": "19.3.1", "@types/react": "19.2.18" };

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
const signed = async (folder) => {
  const verifier = join(folder, "node_modules", "@postern", "webhook-verifier", "dist");
  const { sign } = await import(pathToFileURL(join(verifier, "index.js")).href);
  const { stripe } = await import(pathToFileURL(join(verifier, "schemes", "stripe.js")).href);
  const body =
    '{"id": "evt_1",  "object":"event","type":"invoice.paid","data":{"object":{"amount":1.0,"name":"\\u00e9 é"}}}';
  const headers = { "content-type": "application/json", ...(await sign(stripe, { keys: secret, body })) };
  return { method: "POST", headers, body };
};

const visit = async ({ name, command, args, folder }) => {
  const began = performance.now();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const database = `sqlite:${join(folder, `${name.replaceAll(/\W/g, "")}.db`)}`;
  const env = {
    ...plainEnvironment(),
    PORT: String(port),
    HOSTNAME: "127.0.0.1",
    STRIPE_SECRET: secret,
    DATABASE_URL: database,
  };
  const host = { process: spawn(command, args, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] }), output: "" };
  for (const stream of [host.process.stdout, host.process.stderr])
    stream.on("data", (text) => {
      host.output += text;
    });
  try {
    await until(async () => (await fetch(`${url}/postern/health/ready`)).ok, host);
    const answer = await fetch(`${url}/postern/api/webhooks/stripe`, await signed(folder));
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`${name} answered the webhook ${answer.status} ${text}`);
    await until(async () => host.output.includes("invoices: invoice.paid"), host);
    if (!(await (await fetch(`${url}/`)).text()).includes(page)) throw new Error(`${name} lost its own page.`);
    host.process.kill("SIGTERM");
    await once(host.process, "exit");
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

/** With a Node whose SQLite needs no compiler. */
const tryNext = async (folder, node) => {
  cpSync(join(examples, "next"), folder, { recursive: true });
  writeFileSync(join(folder, "app", "layout.tsx"), layout);
  writeFileSync(join(folder, "app", "page.tsx"), `export default () => "${page}";\n`);
  const next = join(folder, "node_modules", "next", "dist", "bin", "next");
  const began = performance.now();
  const env = { ...plainEnvironment(), NEXT_TELEMETRY_DISABLED: "1", NODE_ENV: "production" };
  try {
    execFileSync(node, [next, "build"], { cwd: folder, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  } catch (thrown) {
    throw new Error(`next build failed:\n${thrown.stdout}${thrown.stderr}`);
  }
  process.stdout.write(`next build: ${((performance.now() - began) / 1000).toFixed(1)} s.\n`);
  await visit({ name: "Next.js", command: node, args: [next, "start", "--hostname", "127.0.0.1"], folder });
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
  await tryBun(folder);
};
