import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { on } from "@postern/inbox";
import { readConfig, startServer } from "@postern/server";
import { afterEach, beforeEach, expect, test } from "vitest";
import { bannerOf } from "../src/banner.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "postern-banner-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const bannerWith = async (from: Parameters<typeof bannerOf>[1]): Promise<string> => {
  const variables = {
    DATABASE_URL: `sqlite:${join(folder, "postern.db")}`,
    PORT: "0",
    LOG_LEVEL: "error",
    POSTERN_BASE_PATH: "/postern",
  };
  const work = async () => undefined;
  const handlers = [on("demo", "*", work), on("*", "a.*", work), on("stripe", "invoice.*", work)];
  const server = await startServer(readConfig(variables, false), { handlers });
  try {
    return bannerOf(server, from).replaceAll(String(server.url), "http://here");
  } finally {
    await server.stop();
  }
};

test("the banner shows addresses below the base path and commands as they are called in a clone", async () => {
  const shown = await bannerWith({ environment: { npm_lifecycle_event: "start" }, platform: "linux" });
  expect(shown).toContain("  API       http://here/postern/api\n");
  expect(shown).toContain("  Docs      http://here/postern/api/docs\n");
  expect(shown).toContain("  Health    http://here/postern/health/ready\n");
  expect(shown).toMatch(/^ {2}Database {2}(node:sqlite|better-sqlite3|sqlite3) \(SQLite 3\.\d+\.\d+\)$/m);
  expect(shown).toContain("  ./postern users create --name Grace");
  expect(shown).toContain("  ./postern send demo --url http://here/postern\n");
});

test("the banner names the handlers that get no events", async () => {
  const shown = await bannerWith({ environment: {}, platform: "linux" });
  expect(shown.match(/The handler .*/g)).toEqual([
    'The handler stripe:invoice.* gets no events: no sender "stripe" is configured. Add it:',
  ]);
  expect(shown).toContain("\n  postern providers add stripe\n");
});

test("the banner shows commands for Windows, where a shell does not run ./postern", async () => {
  const shown = await bannerWith({ environment: { npm_lifecycle_event: "start" }, platform: "win32" });
  expect(shown).toContain("  npm run -s postern -- send demo --url http://here/postern\n");
});

test("a start makes a link for the first administrator where a person reads it, and ends none elsewhere", async () => {
  const variables = {
    DATABASE_URL: `sqlite:${join(folder, "postern.db")}`,
    POSTERN_SECRET_KEY: Buffer.alloc(32, 7).toString("base64"),
    PORT: "0",
    LOG_LEVEL: "error",
  };
  const start = (format: string) => startServer(readConfig({ ...variables, POSTERN_LOG_FORMAT: format }, false), {});
  const shown = await start("pretty");
  const secret = shown.console?.setup;
  await shown.stop();
  const server = await start("json");
  expect(server.console).toEqual({});
  const person = {
    name: "Grace",
    email: "grace@example.com",
    password: "correct horse battery",
    secret: String(secret),
  };
  const made = await fetch(`${server.url}/console/setup`, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded", "sec-fetch-site": "same-origin" },
    body: new URLSearchParams(person),
  });
  expect(made.status).toBe(200);
  await server.stop();
});
