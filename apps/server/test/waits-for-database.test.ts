import { createServer, type Server, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { readConfig, startServer } from "@postern/server";
import { expect, test, vi } from "vitest";
import { openPostern } from "../../../packages/postern/src/index.ts";
import {
  doesPostgresAnswer,
  dropOnPostgres,
  postgresUrl,
} from "../../../packages/storage-knex/test/database-servers.ts";
import { freePort } from "../../../test/free-port.ts";

const answers = await doesPostgresAnswer();
const name = `postern_waits_${process.pid}`;
const secretKey = Buffer.alloc(32, 7).toString("base64");

/** Lets the server of the tests answer on this port, too. */
const forwardOn = async (port: number): Promise<{ close(): Promise<void> }> => {
  const { connect } = await import("node:net");
  const sockets = new Set<Socket>();
  const server: Server = createServer((near) => {
    const far = connect(Number(postgresUrl.port || 5432), postgresUrl.hostname);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
    }
    near.pipe(far).pipe(near);
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return {
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

const urlOn = (port: number, user = "postgres"): string => {
  const url = new URL(postgresUrl);
  url.hostname = "127.0.0.1";
  url.port = String(port);
  url.username = user;
  url.pathname = `/${name}`;
  return url.href;
};

const config = (databaseUrl: string, more: Record<string, string> = {}) =>
  readConfig(
    { DATABASE_URL: databaseUrl, POSTERN_SECRET_KEY: secretKey, PORT: "0", LOG_LEVEL: "warn", ...more },
    false,
  );

/** Collects what is logged meanwhile. */
const logged = (): { readonly text: () => string; restore(): void } => {
  let text = "";
  const spy = vi.spyOn(process.stdout, "write").mockImplementation((chunk) => {
    text += String(chunk);
    return true;
  });
  return { text: () => text, restore: () => spy.mockRestore() };
};

test.skipIf(!answers)(
  "a start waits for a database that is not there yet, says so, and is alive meanwhile",
  {
    timeout: 60_000,
  },
  async () => {
    const [port, http] = [await freePort(), await freePort()];
    const output = logged();
    const starts = startServer(config(urlOn(port), { PORT: String(http) }), {}, { listensAfterMs: 0 });
    try {
      const status = async (path: string): Promise<number> => (await fetch(`http://127.0.0.1:${http}${path}`)).status;
      await expect.poll(() => status("/health/live").catch(() => 0), { timeout: 10_000 }).toBe(200);
      expect(await status("/health/ready")).toBe(503);
      await expect.poll(output.text, { timeout: 10_000 }).toContain("waiting for the database: ECONNREFUSED");
      const lines = (): number => output.text().split("waiting for the database").length - 1;
      // A line every few seconds, and not one for each try.
      await sleep(4_000);
      expect(lines()).toBe(2);
      const database = await forwardOn(port);
      const server = await starts;
      await expect.poll(() => status("/health/ready"), { timeout: 10_000 }).toBe(200);
      await server.stop();
      await database.close();
    } finally {
      output.restore();
      await dropOnPostgres([name]);
    }
  },
);

test.skipIf(!answers)("an application that opens Postern waits, too", { timeout: 60_000 }, async () => {
  const port = await freePort();
  const output = logged();
  try {
    const opens = openPostern({ database: urlOn(port), secretKey });
    await expect.poll(output.text, { timeout: 10_000 }).toContain("waiting for the database");
    const database = await forwardOn(port);
    await (await opens).stop();
    await database.close();
  } finally {
    output.restore();
    await dropOnPostgres([name]);
  }
});

test("a start waits no longer than POSTERN_DATABASE_WAIT", async () => {
  const output = logged();
  const began = performance.now();
  const databaseUrl = urlOn(await freePort());
  await expect(startServer(config(databaseUrl, { POSTERN_DATABASE_WAIT: "1500" }), {})).rejects.toMatchObject({
    code: "unavailable",
  });
  output.restore();
  expect(performance.now() - began).toBeGreaterThan(1_400);
  expect(performance.now() - began).toBeLessThan(8_000);
});

test.skipIf(!answers)("what time cannot mend ends a start at once", async () => {
  const output = logged();
  const began = performance.now();
  const databaseUrl = urlOn(Number(postgresUrl.port || 5432), "nobody_here");
  await expect(startServer(config(databaseUrl), {})).rejects.toMatchObject({ code: "unavailable" });
  output.restore();
  expect(performance.now() - began).toBeLessThan(5_000);
  expect(output.text()).not.toContain("waiting");
});
