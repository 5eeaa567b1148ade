// Puts a validating proxy (Prism) in front of a real server, with the served document of each
// version. Through it, it sends every documented example and the usual requests of a client. In the
// header `sl-violations` Prism reports each request and answer that the document does not describe.
// One such report is a failure.
//   node --conditions=@postern/source --import tsx scripts/validating-proxy.ts
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { sign } from "@postern/webhook-verifier";
import { standardWebhooks } from "@postern/webhook-verifier/schemes/standard-webhooks";
import { freePort } from "../test/free-port.ts";

/** The last version for Node 20. It is exact, like those of the generators of clients. */
const prism = "@stoplight/prism-cli@5.14.2";

/** The registry may be slow. Starting and answering may not. */
const downloadMs = 420_000;
const workMs = 300_000;

/** How often a request is sent again if the server is too busy for it. */
const mostTries = 10;

const root = fileURLToPath(new URL("..", import.meta.url));
const tsx = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;
const admin = { email: "root@example.com", password: "correct horse battery" };
const secret = `whsec_${Buffer.alloc(24, 7).toString("base64")}`;

// biome-ignore lint/suspicious/noExplicitAny: a script reads documents that other checks hold to their form
type Document = any;

const children = new Set<ChildProcess>();

/**
 * Starts a process in a group of its own, so that everything that it starts ends with it. Waits for
 * the line that says that it is ready.
 */
const start = async (
  command: string,
  args: readonly string[],
  { cwd, env, ready, withinMs }: { cwd: string; env: NodeJS.ProcessEnv; ready: RegExp; withinMs: number },
): Promise<string> => {
  const child = spawn(command, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
  children.add(child);
  const said: string[] = [];
  const late = AbortSignal.timeout(withinMs);
  return new Promise((resolve, reject) => {
    const fail = (why: string) =>
      reject(new Error(`${command} ${args.join(" ")} ${why}:\n${said.slice(-40).join("\n")}`));
    late.addEventListener("abort", () => fail(`was not ready within ${withinMs} ms`));
    child.on("error", (error) => fail(String(error)));
    child.on("close", (code) => fail(`ended with ${code}`));
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on("line", (line) => {
        said.push(line);
        if (ready.test(line)) resolve(line);
      });
    }
  });
};

const stop = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const ended = once(child, "exit");
  process.kill(-child.pid, "SIGKILL");
  await ended;
};

const startServer = async (folder: string): Promise<string> => {
  const line = await start(
    process.execPath,
    ["--conditions=@postern/source", "--import", tsx, join(root, "apps", "server", "src", "main.ts")],
    {
      cwd: folder,
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        PORT: "0",
        POSTERN_LOG_FORMAT: "json",
        POSTERN_ADMIN_EMAIL: admin.email,
        POSTERN_ADMIN_PASSWORD: admin.password,
        POSTERN_RATE_LIMIT: "off",
        WEBHOOK_SENDER_SCHEME: "standard-webhooks",
        WEBHOOK_SENDER_SECRET: secret,
      },
      ready: /"msg":"started"/,
      withinMs: workMs,
    },
  );
  return String(JSON.parse(line).url);
};

/**
 * The proxy in front of one version of the server. It uses the document as the server serves it.
 */
const startProxy = async (folder: string, url: string, version: string, document: Document): Promise<string> => {
  const path = join(folder, `${version}.json`);
  await writeFile(path, JSON.stringify(document));
  const port = String(await freePort());
  await start(
    "npx",
    [
      "--yes",
      "--loglevel=error",
      `--package=${prism}`,
      "prism",
      "proxy",
      path,
      `${url}/api/${version}`,
      "--port",
      port,
    ],
    {
      cwd: folder,
      // Otherwise some of its packages report each use to their authors.
      env: { ...process.env, SCARF_ANALYTICS: "false", DO_NOT_TRACK: "1" },
      ready: /Prism is listening/,
      withinMs: downloadMs,
    },
  );
  return `http://127.0.0.1:${port}`;
};

interface Sent {
  readonly token?: string | undefined;
  readonly body?: unknown;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Received {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Document;
}

type Send = (method: string, path: string, sent?: Sent) => Promise<Received>;

const sender =
  (base: string, look: (what: string, received: Received) => void): Send =>
  async (method, path, { token, body, type = "application/json", headers = {} } = {}) => {
    const send = () =>
      fetch(base + path, {
        method,
        headers: {
          ...(body === undefined ? {} : { "content-type": type }),
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
      });
    let response = await send();
    // A server on a busy machine asks for another try. This script measures nothing, so it tries
    // again.
    for (let tries = 1; response.status === 503 && tries < mostTries; tries += 1) {
      await response.arrayBuffer();
      await sleep(1000 * Number(response.headers.get("retry-after") ?? 1));
      response = await send();
    }
    const text = await response.text();
    const isJson = /[/+]json/.test(response.headers.get("content-type") ?? "");
    const received = {
      status: response.status,
      headers: response.headers,
      body: isJson && text !== "" ? JSON.parse(text) : text,
    };
    look(`${method} ${path}`, received);
    return received;
  };

const signedIn = async (send: Send, credentials: { email: string; password: string }): Promise<string> => {
  const { status, body } = await send("POST", "/sessions", { body: credentials });
  if (status !== 201) throw new Error(`no sign-in: ${JSON.stringify(body)}`);
  return String(body.access_token);
};

let people = 0;

/**
 * A new user with a post and a comment, made without the proxy. What an example changes or deletes
 * belongs to them.
 */
const somebody = async (send: Send, version: string) => {
  people += 1;
  const credentials = { email: `someone${people}@example.com`, password: "correct horse battery" };
  const { id } = (await send("POST", "/users", { body: { name: "Someone", ...credentials } })).body;
  const token = await signedIn(send, credentials);
  const text = { [version === "v1" ? "content" : "body"]: "text" };
  const post = (await send("POST", `/users/${id}/posts`, { token, body: { title: "T", ...text } })).body.id;
  const comment = (await send("POST", `/posts/${post}/comments`, { token, body: text })).body.id;
  return { token, ids: { "/users/": String(id), "/posts/": String(post), "/comments/": String(comment) } };
};

const resolved = (document: Document, part: Document): Document =>
  part.$ref === undefined
    ? part
    : part.$ref
        .slice(2)
        .split("/")
        .reduce((inside: Document, name: string) => inside[name], document);

/**
 * Sends each operation as the document shows it, with the examples of its path and body. The
 * sender's webhook must be signed, so it comes later; the feed has no end that a proxy could check.
 */
const sendExamples = async (document: Document, version: string, direct: Send, proxied: Send): Promise<number> => {
  let sent = 0;
  const asAdmin = await signedIn(direct, admin);
  const reader = await somebody(direct, version);
  for (const [path, methods] of Object.entries<Document>(document.paths)) {
    for (const [method, operation] of Object.entries<Document>(methods)) {
      if (path === "/webhooks/{provider}" || path === "/admin/feed") continue;
      const { token, ids } = method === "get" ? reader : await somebody(direct, version);
      const parameters: readonly Document[] = operation.parameters.map((part: Document) => resolved(document, part));
      const own = Object.entries(ids).find(([beginning]) => path.startsWith(beginning))?.[1];
      const target = parameters
        .filter(({ in: place }) => place === "path")
        .reduce((at: string, { name, schema }) => at.replace(`{${name}}`, own ?? schema.examples[0]), path);
      const required = parameters.filter(({ in: place, required: must }) => place === "query" && must === true);
      const query = required.map(({ name, schema }) => `${name}=${encodeURIComponent(schema.examples?.[0] ?? "text")}`);
      const ifMatch = parameters.some(({ name }) => name === "If-Match") ? { "if-match": "*" } : {};
      const [type, media] = Object.entries<Document>(operation.requestBody?.content ?? {})[0] ?? [];
      await proxied(method.toUpperCase(), query.length === 0 ? target : `${target}?${query.join("&")}`, {
        token: path.startsWith("/admin/") ? asAdmin : token,
        headers: ifMatch,
        ...(type === undefined ? {} : { type, body: media.example }),
      });
      sent += 1;
    }
  }
  return sent;
};

/**
 * What a client does from its first request to its last. Each step names the status of its answer;
 * the proxy checks the rest.
 */
const goUsualWay = async (version: string, proxied: Send): Promise<number> => {
  let steps = 0;
  const step = async (status: number, method: string, path: string, sent: Sent = {}): Promise<Received> => {
    const received = await proxied(method, path, sent);
    if (received.status !== status) {
      throw new Error(
        `${version} ${method} ${path}: ${received.status}, not ${status}: ${JSON.stringify(received.body)}`,
      );
    }
    steps += 1;
    return received;
  };
  const [text, list] =
    version === "v1" ? ["content", (body: Document) => body] : ["body", (body: Document) => body.data];
  const credentials = { email: `usual-${version}@example.com`, password: "correct horse battery" };
  await step(201, "POST", "/users", { body: { name: "Ada", ...credentials } });
  const { access_token: token } = (await step(201, "POST", "/sessions", { body: credentials })).body;
  const body = { title: "On the Analytical Engine", [text]: "It weaves algebraic patterns.", status: "published" };
  const headers = { "idempotency-key": `"post-${version}"` };
  const { id } = (await step(201, "POST", "/users/me/posts", { token, body, headers })).body;
  await step(201, "POST", "/users/me/posts", { token, body, headers });
  await step(201, "POST", `/posts/${id}/comments`, { token, body: { [text]: "Well said." } });
  const query = "limit=1&total=true&sort=-created_at,title&filter[status]=published&filter[title][contains]=Engine";
  const found = await step(200, "GET", `/posts?${query}&include=author,comments`, { token });
  if (list(found.body).length !== 1) throw new Error(`${version}: the list does not show the post`);
  const cut = await step(200, "GET", `/users/me/posts?fields=id,title&filter[status][in]=draft,published`, { token });
  if (Object.keys(list(cut.body)[0]).length !== 2) throw new Error(`${version}: fields do not cut the list`);
  const read = await step(200, "GET", `/posts/${id}`, { token });
  const etag = String(read.headers.get("etag"));
  await step(304, "GET", `/posts/${id}`, { token, headers: { "if-none-match": etag } });
  const type = "application/merge-patch+json";
  await step(200, "PATCH", `/posts/${id}`, { token, type, headers: { "if-match": etag }, body: { title: "Notes" } });
  await step(412, "PATCH", `/posts/${id}`, { token, type, headers: { "if-match": etag }, body: { title: "Late" } });
  await step(204, "PATCH", `/posts/${id}`, {
    token,
    type,
    headers: { "if-match": "*", prefer: "return=minimal" },
    body: { status: "archived" },
  });
  const made = "019a5e2c-7d4b-7c3e-9f10-2b6f8c1d4e".concat(version === "v1" ? "51" : "52");
  await step(201, "PUT", `/posts/${made}`, { token, headers: { "if-none-match": "*" }, body });
  await step(204, "DELETE", `/posts/${made}`, { token, headers: { "if-match": "*" } });
  await step(404, "GET", `/posts/${made}`, { token });
  await step(401, "GET", "/users/me", { token: "nobody" });
  const payload = JSON.stringify({ type: "invoice.paid", timestamp: new Date().toISOString(), data: { id: "in_1" } });
  const signature = await sign(standardWebhooks, { keys: secret, body: payload, id: `msg_${version}` });
  for (const _repeat of [1, 2])
    await step(200, "POST", "/webhooks/sender", { body: payload, headers: { ...signature } });
  const asAdmin = await signedIn(proxied, admin);
  const events = await step(200, "GET", "/admin/events?filter[provider]=sender&limit=5&total=true", { token: asAdmin });
  await step(200, "GET", `/admin/events/${list(events.body)[0].id}`, { token: asAdmin });
  await step(204, "DELETE", "/users/me", { token, headers: { "if-match": "*" } });
  return steps;
};

const folder = await mkdtemp(join(tmpdir(), "postern-proxy-"));
const violations: string[] = [];
try {
  const url = await startServer(folder);
  for (const version of ["v1", "v2"]) {
    const direct = sender(`${url}/api/${version}`, () => undefined);
    const { status, body: document } = await direct("GET", "/openapi.json");
    if (status !== 200) throw new Error(`${version}: no document, but ${status}: ${JSON.stringify(document)}`);
    const proxy = await startProxy(folder, url, version, document);
    const proxied = sender(proxy, (what, { status, headers }) => {
      const told = headers.get("sl-violations");
      if (told !== null) violations.push(`${version} ${what} → ${status}: ${told}`);
      if (status >= 500) violations.push(`${version} ${what} → ${status}`);
      // Prism's own answers lack this header; every answer of the server has it.
      if (!headers.has("x-request-id")) violations.push(`${version} ${what} → ${status}: the proxy did not pass it on`);
    });
    // A proxy that finds nothing proves nothing, so it must find a fault that is made on purpose.
    const wrong = await fetch(`${proxy}/posts?limit=0`);
    if (!wrong.headers.has("sl-violations")) throw new Error("Prism lets a request through that the document refuses.");
    const examples = await sendExamples(document, version, direct, proxied);
    const steps = await goUsualWay(version, proxied);
    process.stdout.write(
      `${version}: ${examples} operations as documented and ${steps} steps of a client, seen by Prism\n`,
    );
  }
} finally {
  await Promise.all([...children].map(stop));
  await rm(folder, { recursive: true, force: true });
}
for (const violation of violations) process.stdout.write(`${violation}\n`);
if (violations.length > 0) throw new Error(`The document and the server differ at ${violations.length} places.`);
