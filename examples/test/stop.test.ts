import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { Agent, get, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterEach, expect, test } from "vitest";

const program = fileURLToPath(new URL("stop-host.ts", import.meta.url));
const person = { email: "root@example.com", password: "correct horse battery" };
const processes = new Set<ChildProcess>();
const directories = new Set<string>();
afterEach(async () => {
  for (const child of processes) {
    child.kill("SIGKILL");
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  }
  processes.clear();
  for (const directory of directories) rmSync(directory, { recursive: true });
  directories.clear();
});

const startHost = async (name: string): Promise<{ readonly child: ChildProcess; readonly url: string }> => {
  const directory = mkdtempSync(join(tmpdir(), "postern-stop-"));
  directories.add(directory);
  const given = [name, `sqlite:${join(directory, "app.db")}`, person.email, person.password];
  const child = spawn(process.execPath, ["--conditions=@postern/source", "--import", "tsx", program, ...given], {
    env: { ...process.env, PORT: "0" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  processes.add(child);
  const [port] = await once(createInterface(child.stdout), "line");
  return { child, url: `http://127.0.0.1:${port}/postern` };
};

const signIn = async (url: string): Promise<string> => {
  const headers = { "content-type": "application/json" };
  const answer = await fetch(`${url}/api/v1/sessions`, { method: "POST", headers, body: JSON.stringify(person) });
  return JSON.parse(await answer.text()).access_token;
};

/** A request of one connection that stays open, and its status and headers. */
const ask = async (url: string, agent: Agent): Promise<readonly [number | undefined, string | undefined]> => {
  const asked = request(url, { agent }).end();
  const [answer] = await once(asked, "response");
  await text(answer);
  return [answer.statusCode, answer.headers.connection];
};

test.each(["node:http", "Express 5", "Koa 3", "Hono", "Fastify 5", "NestJS 12"])(
  "%s stops as its page says while a console has its feed open",
  { timeout: 60_000 },
  async (name) => {
    const { child, url } = await startHost(name);
    const headers = { authorization: `Bearer ${await signIn(url)}` };
    const feed = get(`${url}/api/v1/admin/feed`, { headers, agent: new Agent({ keepAlive: true }) });
    const [stream] = await once(feed, "response");
    expect(stream.statusCode).toBe(200);
    const ended = text(stream);
    // A page that is open holds a second connection, which is idle.
    await ask(`${url}/health/live`, new Agent({ keepAlive: true }));

    const began = performance.now();
    child.kill("SIGTERM");
    const [code, signal] = await once(child, "exit");
    expect({ code, signal }).toEqual(
      name === "NestJS 12" ? { code: null, signal: "SIGTERM" } : { code: 0, signal: null },
    );
    expect(performance.now() - began).toBeLessThan(10_000);
    await ended;
  },
);
