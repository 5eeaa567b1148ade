/**
 * Lists of the console on a SQLite file with a million events, in Chromium; see README.md. From the root:
 *
 * `node --conditions=@postern/source --import tsx benchmarks/million/console.ts [--events 1000000]
 * [--times 7] [--file /a/file/to/keep.db] [--only Jobs] [--check]`. With `--check` it exits with 1
 * above a goal. A file that is there already is used as it is.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { chromium, type Page } from "playwright-core";
import { fill } from "./fill.ts";

const { values } = parseArgs({
  options: {
    events: { type: "string", default: "1000000" },
    times: { type: "string", default: "7" },
    file: { type: "string" },
    only: { type: "string", default: "" },
    check: { type: "boolean", default: false },
  },
});
const goalMs = 150;
/** The console waits so long for the next letter. */
const typingMs = 350;
const events = Number(values.events);
const times = Number(values.times);
const folder = mkdtempSync(join(tmpdir(), "postern-console-"));
const file = values.file ?? join(folder, "postern.db");
const pathOf = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const admin = { email: "grace@example.com", password: "correct horse battery" };

/** The console as its sources are now. */
const buildConsole = async (): Promise<void> => {
  const configFile = pathOf("apps/console/vite.config.ts");
  const { build } = await import(createRequire(configFile).resolve("vite"));
  await build({ configFile, logLevel: "error" });
};

/** The server in a process of its own, with nothing to delete. */
const startServer = (): Promise<{ url: string; child: ChildProcess }> =>
  new Promise((resolve, reject) => {
    const tsx = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;
    const days = { POSTERN_RETENTION_EVENTS: "3650", POSTERN_RETENTION_BODIES: "3650", POSTERN_RETENTION_JOBS: "3650" };
    const child = spawn(
      process.execPath,
      ["--conditions=@postern/source", "--import", tsx, pathOf("apps/server/src/main.ts")],
      {
        cwd: folder,
        env: {
          PATH: process.env.PATH,
          DATABASE_URL: `sqlite:${file}`,
          PORT: "0",
          POSTERN_LOG_FORMAT: "json",
          POSTERN_RATE_LIMIT: "off",
          POSTERN_ADMIN_EMAIL: admin.email,
          POSTERN_ADMIN_PASSWORD: admin.password,
          WEBHOOK_STRIPE_SECRET: "whsec_of_the_benchmark",
          WEBHOOK_LINEAR_SECRET: "lin_of_the_benchmark",
          ...days,
        },
        stdio: ["ignore", "pipe", "inherit"],
      },
    );
    let log = "";
    child.stdout.on("data", (chunk: Buffer) => {
      log += String(chunk);
      const started = log.split("\n").find((line) => line.includes('"msg":"started"') && line.endsWith("}"));
      if (started !== undefined) resolve({ url: JSON.parse(started).url, child });
    });
    child.once("exit", (code) => reject(new Error(`The server ended with ${code}: ${log}`)));
  });

/**
 * In the page: from an event of the keyboard or the mouse until rows that were not there before are
 * painted.
 */
const stopwatch = `
  globalThis.measure = (rows, begins) => {
    for (const row of document.querySelectorAll(\`\${rows}, .empty\`)) row.dataset.before = "";
    return globalThis.measured = new Promise((resolve) => {
      addEventListener(begins, ({ timeStamp }) => {
        const look = () => {
          const fresh = document.querySelector(\`:is(\${rows}, .empty):not([data-before])\`);
          if (fresh === null || document.querySelector(".waiting") !== null) return requestAnimationFrame(look);
          // A message comes after the frame in which the rows were drawn.
          const { port1, port2 } = new MessageChannel();
          port1.onmessage = () => resolve(performance.now() - timeStamp);
          requestAnimationFrame(() => port2.postMessage(0));
        };
        look();
      }, { capture: true, once: true });
    });
  }; undefined`;

interface List {
  readonly name: string;
  /** Where it begins. */
  readonly from: string;
  readonly rows: string;
  /** What the time begins with. Default: a click. */
  readonly begins?: string;
  readonly act: (page: Page) => Promise<unknown>;
}

const link = (name: string) => (page: Page) =>
  page.getByRole("navigation").getByRole("link", { name, exact: true }).click();
const choose = (label: string, value: string) => (page: Page) =>
  page.getByLabel(label, { exact: true }).selectOption(value);
const type = (label: string, text: string) => (page: Page) => page.getByLabel(label, { exact: true }).fill(text);
const line = ".event-line";
const row = "tbody tr";
const states = ["received", "retrying", "processed", "dead", "quarantined", "ignored", "cancelled", "discarded"];

const ofEvents = (name: string, from: string, begins: string, act: List["act"]): List => ({
  name,
  from,
  rows: line,
  begins,
  act,
});

const lists: readonly List[] = [
  { name: "Events", from: "#/plans", rows: line, act: link("Events") },
  ...states.map((state) => ofEvents(`Events, ${state}`, "#/events", "change", choose("State", state))),
  ofEvents("Events of the sender of all but a thousandth", "#/events", "change", choose("Sender", "stripe")),
  ofEvents("Events of the sender of a thousandth", "#/events", "change", choose("Sender", "linear")),
  ofEvents("Events of that sender, dead", "#/events?provider=linear", "change", choose("State", "dead")),
  ofEvents("Events of the last day", "#/events", "change", choose("Time", "24")),
  ofEvents("Events of a type", "#/events", "input", type("Type", "invoice.3")),
  ofEvents("Events of a type that none has", "#/events", "input", type("Type", "no.such")),
  ofEvents("Events of a type, dead", "#/events?type=invoice.0", "change", choose("State", "dead")),
  ofEvents("Events with a sender's id", "#/events", "input", type("Sender's id", `evt_${Math.ceil(events / 2)}`)),
  ofEvents("Events with a sender's id that none has", "#/events", "input", type("Sender's id", "evt_none")),
  {
    ...{ name: "Events of a cause", from: "#/causes", rows: line, begins: "hashchange" },
    act: (page) => page.evaluate("location.hash = '#/events?state=dead&cause=cause0000003'"),
  },
  {
    ...{ name: "Events, the next page", from: "#/events", rows: ".room[height='7200']", begins: "scroll" },
    act: (page) => page.locator(".virtual").evaluate((list) => list.scrollTo(0, 3_000)),
  },
  { name: "Causes", from: "#/plans", rows: row, act: link("Causes") },
  { name: "Causes of the last day", from: "#/causes", rows: row, begins: "change", act: choose("Time", "24") },
  { name: "One cause", from: "#/causes", rows: row, act: (page) => page.locator("tbody a").first().click() },
  { name: "Jobs", from: "#/plans", rows: row, act: link("Jobs") },
  ...["ready", "scheduled", "running", "blocked", "done", "dead", "cancelled"].map((state) => ({
    ...{ name: `Jobs, ${state}`, from: "#/jobs", rows: row, begins: "change" },
    act: choose("State", state),
  })),
  { name: "Jobs, Postern's own", from: "#/jobs", rows: row, begins: "change", act: choose("Whose", "true") },
  { name: "Jobs of a handler", from: "#/jobs", rows: row, begins: "input", act: type("Handler", "mail") },
  {
    ...{ name: "Jobs of a handler that none has", from: "#/jobs", rows: row, begins: "input" },
    act: type("Handler", "no.such"),
  },
  {
    ...{ name: "Jobs, the next page", from: "#/jobs", rows: row },
    act: (page) => page.getByRole("button", { name: "Show more" }).click(),
  },
];

/** From the act to the rows, in a page that has been loaded anew. */
const once = async (page: Page, url: string, { from, rows, begins = "click", act }: List): Promise<number> => {
  await page.goto("about:blank");
  await page.goto(`${url}/console/${from}`);
  await page.locator(".page-head").waitFor();
  await page.locator(".waiting").waitFor({ state: "detached" });
  await page.locator(".event-line, tbody tr, .empty").first().waitFor();
  await page.evaluate(stopwatch);
  await page.evaluate(`void measure(${JSON.stringify(rows)}, ${JSON.stringify(begins)})`);
  await act(page);
  const ms = Number(await page.evaluate("measured"));
  return begins === "input" ? ms - typingMs : ms;
};

const missed: string[] = [];
let server: ChildProcess | undefined;
try {
  const isMade = existsSync(file);
  if (!isMade) await fill(file, events);
  await buildConsole();
  const { url, child } = await startServer();
  server = child;
  const context = await chromium.launchPersistentContext(join(folder, "profile"), {
    executablePath: process.env.CHROMIUM_PATH ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu"],
    viewport: { width: 1280, height: 900 },
  });
  const page = await context.newPage();
  await page.goto(`${url}/console/`);
  await page.getByLabel("Email").fill(admin.email);
  await page.getByLabel("Password").fill(admin.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("navigation").waitFor();
  console.log(`${events} events; Node ${process.versions.node}\n`);
  console.log(
    "| from the click to the rows | shortest | middle | longest | goal | share |\n|---|---:|---:|---:|---:|---:|",
  );
  for (const list of lists.filter(({ name }) => new RegExp(values.only).test(name))) {
    const found: number[] = [];
    for (let n = 0; n < times; n += 1) found.push(await once(page, url, list));
    found.sort((left, right) => left - right);
    const [least = 0, middle = 0, most = 0] = [found[0], found[found.length >> 1], found.at(-1)];
    if (middle > goalMs) missed.push(list.name);
    const shown = [least, middle, most].map((ms) => ms.toFixed(0)).join(" | ");
    console.log(`| ${list.name} | ${shown} | ${goalMs} | ${(middle / goalMs).toFixed(2)} |`);
  }
  await context.close();
} finally {
  server?.kill();
  rmSync(folder, { recursive: true, force: true });
}
if (missed.length > 0) {
  console.error(`Above the goal: ${missed.join("; ")}.`);
  if (values.check) process.exitCode = 1;
}
