import { EventEmitter, once } from "node:events";
import { Agent, request } from "node:http";
import { describe, expect, test } from "vitest";
import { createHttpServer } from "../src/node/index.ts";
import { lines, open, parseReplies, readToEnd } from "./support/raw.ts";
import { makeApp, serve, webhook } from "./support/serve.ts";

/** An app whose inbox answers when it is told to. */
const holding = () => {
  const made = makeApp();
  const released = new EventEmitter();
  const arrived = new EventEmitter();
  const app = {
    ...made.app,
    receive: async () => {
      arrived.emit("yes");
      await once(released, "yes");
      return { status: 200, body: { id: "1", status: "accepted" } };
    },
  };
  return { made: { ...made, app }, arrived: once(arrived, "yes"), release: () => released.emit("yes") };
};

describe("listening", () => {
  test("gives the real address", async () => {
    const { url, port, server } = await serve();
    expect(url).toBe(`http://127.0.0.1:${port}`);
    expect(port).toBeGreaterThan(0);
    expect(await server.close()).toBeUndefined();
  });

  test("on an address that is taken is refused", async () => {
    const { port } = await serve();
    const second = createHttpServer(makeApp().app);
    await expect(second.listen({ port })).rejects.toMatchObject({ code: "EADDRINUSE" });
    await second.close();
  });

  test("serves many requests over one connection, and the thousandth is its last", async () => {
    const { url } = await serve();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const ports = new Set<number | undefined>();
    const get = () =>
      new Promise<string | undefined>((resolve, reject) => {
        const call = request(`${url}/health/live`, { agent }, (answer) => {
          ports.add(answer.socket.localPort);
          answer.resume().once("end", () => resolve(answer.headers.connection));
        });
        call.once("error", reject).end();
      });
    const connections: (string | undefined)[] = [];
    for (let index = 0; index < 1000; index++) connections.push(await get());
    expect(ports.size).toBe(1);
    expect(connections.filter((connection) => connection === "close").length).toBe(1);
    expect(connections.at(-1)).toBe("close");
    agent.destroy();
  });
});

describe("closing", () => {
  test("answers what is in flight, tells readiness no, and takes no new connection", async () => {
    const { made, arrived, release } = holding();
    const { server, url, port } = await serve({}, made);
    const ready = await open(port);
    const readiness = readToEnd(ready);
    const inFlight = fetch(`${url}/api/webhooks/acme`, await webhook("{}"));
    await arrived;
    const closed = server.close();
    ready.write(lines("GET /health/ready HTTP/1.1", "Host: a"));
    const [notReady] = parseReplies(await readiness);
    expect(notReady?.status).toBe(503);
    expect(notReady?.headers.get("connection")).toBe("close");
    await expect(open(port)).rejects.toMatchObject({ code: "ECONNREFUSED" });
    release();
    const answer = await inFlight;
    expect(answer.status).toBe(200);
    expect(answer.headers.get("connection")).toBe("close");
    await closed;
  });

  test("waits for no connection on which nothing happens", async () => {
    const { server, port } = await serve();
    const used = await open(port);
    used.write(lines("GET /health/live HTTP/1.1", "Host: a"));
    await once(used, "data");
    const silent = await open(port);
    const started = performance.now();
    const ended = Promise.all([once(used, "close"), once(silent, "close")]);
    used.resume();
    silent.resume();
    await server.close({ graceMs: 15_000 });
    await ended;
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  test("cuts what takes longer than the grace", async () => {
    const { made, arrived, release } = holding();
    const { server, url } = await serve({}, made);
    const inFlight = fetch(`${url}/api/webhooks/acme`, await webhook("{}")).catch((error: Error) => error);
    await arrived;
    await server.close({ graceMs: 50 });
    expect(await inFlight).toBeInstanceOf(Error);
    release();
  });

  test("twice, or without having listened, is harmless", async () => {
    const { server } = await serve();
    await Promise.all([server.close(), server.close()]);
    await server.close();
    await createHttpServer(makeApp().app).close();
  });

  test("under load resets nothing", async () => {
    const { server, url, log } = await serve();
    const agent = new Agent({ keepAlive: true, maxSockets: 30 });
    const signed = await webhook("{}");
    let answered = 0;
    let refused = 0;
    const failures: unknown[] = [];
    const deliver = () =>
      new Promise<void>((resolve) => {
        const call = request(
          `${url}/api/webhooks/acme`,
          { agent, method: "POST", headers: { ...(signed.headers as Record<string, string>), "content-length": 2 } },
          (answer) => {
            answered += Number(answer.statusCode === 200);
            answer.resume().once("end", resolve);
          },
        );
        call.once("error", (error: NodeJS.ErrnoException) => {
          if (error.code === "ECONNREFUSED") refused++;
          else failures.push(error);
          resolve();
        });
        call.end("{}");
      });
    const senders = Array.from({ length: 30 }, async () => {
      while (refused === 0 && failures.length === 0) await deliver();
    });
    await log.reach(500);
    await server.close();
    await Promise.all(senders);
    agent.destroy();
    expect(failures).toEqual([]);
    expect(answered).toBe(log.lines.length);
    expect(answered).toBeGreaterThanOrEqual(500);
  });
});
