import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Alert } from "@postern/core/ports";
import { expect, test, vi } from "vitest";
import { readConfig, startServer } from "../src/index.ts";
import { temporaryDirectory } from "./server-process.ts";

/** A receiver of alerts on this machine. It answers as the test says. */
const receiver = async () => {
  const answer = { status: 204 };
  const taken: Alert[] = [];
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece);
    if (answer.status === 204) taken.push(JSON.parse(Buffer.concat(pieces).toString()));
    response.writeHead(answer.status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    answer,
    url: `http://127.0.0.1:${port}/in/planted-secret`,
    kinds: () => taken.map(({ kind }) => kind),
    close: () => new Promise((resolve) => server.close(resolve)),
  };
};

/** Machines can be slow. */
const inTime = { timeout: 10_000 };

test("a receiver on this machine gets alerts at the start, at once, and by a job if it could not be reached", async () => {
  const { answer, url, kinds, close } = await receiver();
  const variables = {
    DATABASE_URL: `sqlite:${join(temporaryDirectory(), "postern.db")}`,
    PORT: "0",
    LOG_LEVEL: "info",
    POSTERN_ALERT_URL: url,
  };
  const written = vi.spyOn(process.stdout, "write");
  const server = await startServer(readConfig(variables, false), {});
  const { ports, storage } = server.composition;
  const jobs = () => storage.jobRecords.list({ kind: "postern.alert", limit: 10 });
  const raise = (kind: string, about: string) =>
    ports.alerts.raise({ kind, text: `${kind} of ${about}`, details: { kind: about } });
  try {
    await vi.waitFor(() => expect(kinds()).toEqual(["alerts.started"]), inTime);
    raise("job.dead", "mail");
    await vi.waitFor(() => expect(kinds()).toEqual(["alerts.started", "job.dead"]), inTime);

    answer.status = 500;
    raise("event.quarantined", "push");
    const [job] = await vi.waitFor(async () => {
      const found = await jobs();
      expect(found).toMatchObject([{ state: "scheduled", lastError: expect.stringContaining("answered 500") }]);
      return found;
    }, inTime);
    // The failure of an alert's job must not cause another alert.
    raise("job.dead", "postern.alert");
    answer.status = 204;
    await storage.jobRecords.retry(job?.id ?? 0, Date.now());
    ports.wakeup.notify();
    await vi.waitFor(() => expect(kinds()).toEqual(["alerts.started", "job.dead", "event.quarantined"]), inTime);
    expect(await jobs()).toHaveLength(1);
    const lines = written.mock.calls.map(([line]) => String(line)).join("");
    expect(lines).toMatch(/it is about an alert/);
    expect(lines).not.toContain("planted-secret");
  } finally {
    await server.stop();
    await close();
  }
});

test("a receiver that cannot be reached at the start is named in the log, and the server runs", async () => {
  const { url, close } = await receiver();
  await close();
  const variables = {
    DATABASE_URL: `sqlite:${join(temporaryDirectory(), "postern.db")}`,
    PORT: "0",
    LOG_LEVEL: "error",
    POSTERN_ALERT_URL: url,
  };
  const written = vi.spyOn(process.stdout, "write");
  const server = await startServer(readConfig(variables, false), {});
  try {
    const lines = () => written.mock.calls.map(([line]) => String(line)).join("");
    await vi.waitFor(() => expect(lines()).toMatch(/POSTERN_ALERT_URL takes no alerts now/), inTime);
    expect(lines()).not.toContain("planted-secret");
    expect((await fetch(`${server.url}/api`)).status).toBe(200);
  } finally {
    await server.stop();
  }
});
