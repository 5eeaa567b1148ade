import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { sign } from "@postern/webhook-verifier";
import { stripe } from "@postern/webhook-verifier/schemes/stripe";
import { afterAll, beforeAll, expect, test } from "vitest";

const file = fileURLToPath(new URL("../embedded/postern.ts", import.meta.url));
const secret = `whsec_${randomBytes(24).toString("base64")}`;
let directory: string;
let host: ChildProcess;
let output = "";
let url: string;

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  return Object(address).port;
};

const start = (environment: Readonly<Record<string, string>>): ChildProcess => {
  const started = spawn(process.execPath, ["--conditions=@postern/source", "--import", "tsx", file], {
    env: { ...process.env, DATABASE_URL: `sqlite:${join(directory, "app.db")}`, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  for (const stream of [started.stdout, started.stderr]) stream?.on("data", (text) => (output += text));
  return started;
};

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "postern-embedded-"));
  const port = await freePort();
  url = `http://127.0.0.1:${port}/postern`;
  host = start({ PORT: String(port), STRIPE_SECRET: secret });
});

afterAll(() => {
  host.kill("SIGKILL");
  rmSync(directory, { recursive: true, force: true });
});

test("takes a signed webhook, has its handler run, and stops with its host", async () => {
  const isReady = () =>
    fetch(`${url}/health/ready`)
      .then(({ ok }) => ok)
      .catch(() => false);
  await expect.poll(isReady, { timeout: 15_000, message: output }).toBe(true);
  const body = JSON.stringify({ id: "evt_1", object: "event", type: "invoice.paid", data: { object: {} } });
  const headers = { "content-type": "application/json", ...(await sign(stripe, { keys: secret, body })) };
  const answer = await fetch(`${url}/api/webhooks/stripe`, { method: "POST", headers, body });
  expect([answer.status, await answer.json()]).toEqual([200, { id: "1", status: "accepted" }]);
  await expect.poll(() => output).toContain("invoices: invoice.paid");
  host.kill("SIGTERM");
  expect(await once(host, "exit")).toEqual([0, null]);
});

test("says which secret is missing", async () => {
  output = "";
  const failed = start({ PORT: "0" });
  expect(await once(failed, "exit")).toEqual([1, null]);
  expect(output).toContain("Provider stripe: its secret is undefined; is the variable that it comes from set?");
});

test.each(["README.md", "packages/postern/README.md"])("stands in %s as it is here, in ten lines", (path) => {
  const readme = readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
  const source = readFileSync(file, "utf8");
  expect(readme).toContain(`\`\`\`ts\n${source}\`\`\``);
  expect(source.split("\n").filter((line) => line.trim() !== "").length).toBeLessThanOrEqual(10);
});
