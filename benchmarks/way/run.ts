/**
 * How many files and functions of Postern a GET by id and a webhook pass through, on the composed
 * server with SQLite, warm. Every function counts that each of several equal requests calls before its
 * answer, or before the end of its job; and what each leaves to do afterwards, unless an idle server
 * calls it as well. What only some of them call is the background, which is printed apart: a
 * heartbeat, a look for work, a job of the server's own. A webhook is signed before it is measured.
 *   node --conditions=@postern/source --import tsx benchmarks/way/run.ts [--list]
 * Exits with 1 beyond the bounds, which CI holds. `--list` prints the functions.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { InboxHandler } from "@postern/inbox";
import { signRequest } from "@postern/webhook-verifier";
import { github } from "@postern/webhook-verifier/schemes/github";
import { readConfig, startServer } from "../../apps/server/src/index.ts";

/** The bounds of a way. `frames` counts our own, in the first call of the operation's handler. */
interface Bounds {
  readonly files: number;
  readonly functions: number;
  readonly frames?: number;
}

/** `shared` are those that an idle server calls as well. */
const bounds = {
  "GET /api/v2/posts/{id}": { files: 73, functions: 222, frames: 6 },
  "GET /api/v1/posts/{id}": { files: 77, functions: 233, frames: 6 },
  "webhook, from bytes to done job": { files: 118, functions: 495 },
} as const satisfies Readonly<Record<string, Bounds>>;

const root = fileURLToPath(new URL("../..", import.meta.url));
const isOwn = (url: string): boolean => /\/(?:packages|apps)\/[^/]+\/src\//.test(url);
/** How long everything that a request leaves to do may take: the end of a job, a log line. */
const settleMs = 1_500;
/** Longer than the time between two heartbeats. */
const idleMs = 6_000;
/**
 * What an idle server calls in most of these times is left out. One time does not count, because once
 * a minute the server runs jobs of its own, which call much of what a request and a job call.
 */
const idleTimes = 3;
const warmUps = 300;
/** How often the warm request is measured: so often that the background is never in all of them. */
const repeats = 8;

interface Called {
  readonly file: string;
  readonly name: string;
  readonly calls: number;
}

const inspector = new Session();
inspector.connect();

/** The functions of Postern that were called since the last call of this, by their place. */
const takeCalls = async (): Promise<ReadonlyMap<string, Called>> => {
  const { result } = await inspector.post("Profiler.takePreciseCoverage");
  const calls = new Map<string, Called>();
  for (const { url, functions } of result) {
    if (!isOwn(url)) continue;
    const file = relative(root, url.startsWith("file:") ? fileURLToPath(url) : url);
    for (const { functionName, ranges } of functions) {
      const [range] = ranges;
      // The name is a helper of the compiler, and not part of the source.
      if (range === undefined || range.count === 0 || functionName === "__name") continue;
      calls.set(`${file} ${range.startOffset}`, { file, name: functionName || "(unnamed)", calls: range.count });
    }
  }
  return calls;
};

const directory = mkdtempSync(join(tmpdir(), "postern-way-"));
const secret = "the secret of a sender";
const password = "correct horse battery";
let done = 0;
let prepared = 0;
const config = readConfig(
  {
    DATABASE_URL: `sqlite:${join(directory, "postern.db")}`,
    POSTERN_SECRET_KEY: Buffer.alloc(32, 7).toString("base64"),
    WEBHOOK_GITHUB_SECRET: secret,
    POSTERN_RATE_LIMIT: "on",
    LOG_LEVEL: "info",
    PORT: "0",
  },
  false,
);
const handler: InboxHandler = {
  name: "count",
  provider: "github",
  type: "*",
  retry: { delaysMs: [] },
  timeoutMs: 5_000,
  handle: async () => {
    done += 1;
  },
};

// The lines of the access log are part of the way, and of no interest here.
process.stdout.write = new Proxy(process.stdout.write, {
  apply: (write, stdout, [text, ...rest]) =>
    String(text).startsWith("{") || /^\d{2}:\d{2}/.test(String(text))
      ? true
      : Reflect.apply(write, stdout, [text, ...rest]),
});

const server = await startServer(config, { handlers: [handler] });
const { app } = server.composition;
const run = async (operation: string, body: object): Promise<Record<string, string>> =>
  (await app.run({ operation, principal: { kind: "operator", name: "way" }, body, params: {} })).body as Record<
    string,
    string
  >;

const user = await run("users.create", { name: "Ada", email: "ada@example.com", password });
const { key = "" } = await run("api-keys.create", {
  name: "way",
  scopes: ["posts:read", "posts:write"],
  user_id: user.id,
});
const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
const made = await fetch(`${server.url}/api/v1/posts`, {
  method: "POST",
  headers,
  body: JSON.stringify({ title: "Way", content: "Short" }),
});
if (made.status !== 201) throw new Error(`the post was answered ${made.status}: ${await made.text()}`);
const { id } = (await made.json()) as { readonly id: string };

/** Gets a request ready; the returned function sends it. */
type Prepare = () => Promise<() => Promise<void>>;

const prepareGet =
  (version: string): Prepare =>
  async () =>
  async () => {
    const answer = await fetch(`${server.url}/api/${version}/posts/${id}`, { headers });
    if (answer.status !== 200) throw new Error(`GET was answered ${answer.status}`);
    await answer.arrayBuffer();
  };
const prepareWebhook: Prepare = async () => {
  const body = JSON.stringify({ action: "opened", number: ++prepared });
  const signed = await signRequest(github, { keys: secret, body });
  const webhook = {
    method: "POST",
    headers: {
      ...signed.headers,
      "content-type": "application/json",
      "x-github-event": "issues",
      "x-github-delivery": crypto.randomUUID(),
    } as Record<string, string>,
    body: signed.body as string,
  };
  return async () => {
    const before = done;
    const answer = await fetch(`${server.url}/api/webhooks/github`, webhook);
    if (answer.status !== 200) throw new Error(`the webhook was answered ${answer.status}`);
    await answer.arrayBuffer();
    while (done === before) await sleep(1);
    // The end of the job is written after its handler has returned.
    await sleep(20);
  };
};

/** Our own frames below the first call of an operation's handler. */
const framesBefore = async (version: string, path: string, prepare: Prepare): Promise<number> => {
  const { operations = [] } = app.versions.find((one) => one.id === version) ?? {};
  const operation = operations.find((each) => each.method === "GET" && each.path === path);
  if (operation === undefined) throw new Error(`there is no GET ${path} in ${version}`);
  const { handle } = operation;
  let frames = 0;
  const limit = Error.stackTraceLimit;
  Object.assign(operation, {
    handle: (...args: Parameters<typeof handle>) => {
      Error.stackTraceLimit = 100;
      frames = (new Error().stack ?? "").split("\n").filter(isOwn).length;
      Error.stackTraceLimit = limit;
      return handle(...args);
    },
  });
  await (await prepare())();
  Object.assign(operation, { handle });
  return frames;
};

const measure = async (name: keyof typeof bounds, prepare: Prepare, version?: string): Promise<boolean> => {
  for (let n = 0; n < warmUps; n += 1) await (await prepare())();
  await sleep(settleMs);
  await takeCalls();
  const rests: ReadonlyMap<string, Called>[] = [];
  while (rests.length < idleTimes) {
    await sleep(idleMs);
    rests.push(await takeCalls());
  }
  const isIdle = (place: string): boolean => rests.filter((rest) => rest.has(place)).length > idleTimes / 2;
  const requests: ReadonlyMap<string, Called>[] = [];
  const afterwards: ReadonlyMap<string, Called>[] = [];
  while (requests.length < repeats) {
    const request = await prepare();
    await takeCalls();
    await request();
    requests.push(await takeCalls());
    await sleep(settleMs);
    afterwards.push(await takeCalls());
  }
  const inAll = (samples: typeof requests) =>
    [...(samples[0] ?? [])].filter(([place]) => samples.every((sample) => sample.has(place)));
  const left = inAll(afterwards).filter(([place]) => !isIdle(place));
  const way = new Map([...inAll(requests), ...left]);
  const background = new Set(requests.flatMap((sample) => [...sample.keys()].filter((place) => !way.has(place))));
  const called = [...way.values()];
  const most: Bounds = bounds[name];
  const found = {
    files: new Set(called.map(({ file }) => file)).size,
    functions: called.length,
    shared: [...way.keys()].filter(isIdle).length,
    background: background.size,
    ...(version === undefined ? {} : { frames: await framesBefore(version, "/posts/{id}", prepare) }),
  };
  const calls = called.reduce((sum, one) => sum + one.calls, 0);
  console.log(`${name}: ${JSON.stringify({ ...found, calls })}, at most ${JSON.stringify(most)}`);
  if (process.argv.includes("--list")) {
    for (const { file, name, calls } of called) console.log(`  ${calls} ${name}  ${file}`);
  }
  return found.files <= most.files && found.functions <= most.functions && (found.frames ?? 0) <= (most.frames ?? 0);
};

try {
  await inspector.post("Profiler.enable");
  await inspector.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  const isShort = [
    await measure("GET /api/v2/posts/{id}", prepareGet("v2"), "v2"),
    await measure("GET /api/v1/posts/{id}", prepareGet("v1"), "v1"),
    await measure("webhook, from bytes to done job", prepareWebhook),
  ].every(Boolean);
  process.exitCode = isShort ? 0 : 1;
} finally {
  inspector.disconnect();
  await server.stop();
  rmSync(directory, { recursive: true, force: true });
}
