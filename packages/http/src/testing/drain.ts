import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { Agent, request } from "node:http";
import { createHttpServer } from "../node/index.ts";
import { makeApp, webhook } from "./app-under-test.ts";
import type { Cases } from "./cases.ts";
import { lines, open, readToEnd } from "./raw.ts";
import type { ServedByServer } from "./trial.ts";

/** An app whose inbox answers when the test says so. */
const holding = () => {
  const made = makeApp();
  const released = new EventEmitter();
  const arrived = new EventEmitter();
  const app = {
    ...made.app,
    receive: async () => {
      arrived.emit("yes");
      await once(released, "yes");
      return { status: 200, body: { id: "1", status: "accepted" }, done: "stored" as const };
    },
  };
  return { made: { ...made, app }, arrived: once(arrived, "yes"), release: () => released.emit("yes") };
};

export const drainConnections: Cases<ServedByServer> = {
  "listening: gives the real address": async (trial) => {
    const { url, port, server } = await trial.serve();
    assert.equal(url, `http://127.0.0.1:${port}`);
    assert.ok(port > 0);
    assert.equal(await server.close(), undefined);
  },
  "listening: on an address that is taken is refused": async (trial) => {
    const { port } = await trial.serve();
    const second = createHttpServer(makeApp().app);
    await assert.rejects(second.listen({ port }), { code: "EADDRINUSE" });
    await second.close();
  },
  "listening: serves many requests over one connection, and the thousandth is its last": async (trial) => {
    const { url } = await trial.serve();
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
    assert.equal(ports.size, 1);
    assert.equal(connections.filter((connection) => connection === "close").length, 1);
    assert.equal(connections.at(-1), "close");
    agent.destroy();
  },
  "closing: answers what is in flight, tells readiness no, and takes no new connection": async (trial) => {
    const { made, arrived, release } = holding();
    const { server, url, port } = await trial.serve({}, made);
    const ready = await open(port);
    const readiness = readToEnd(ready);
    const inFlight = trial.fetch(`${url}/api/webhooks/acme`, await webhook("{}"));
    await arrived;
    const closed = server.close();
    // The listener closes at the end of this turn of the event loop, or of the next one.
    for (let turn = 0; turn < 2; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    ready.write(lines("GET /health/ready HTTP/1.1", "Host: a"));
    const [notReady] = trial.parseReplies(await readiness);
    assert.equal(notReady?.status, 503);
    assert.equal(notReady?.headers.get("connection"), "close");
    await assert.rejects(open(port), { code: "ECONNREFUSED" });
    release();
    const answer = await inFlight;
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get("connection"), "close");
    await closed;
  },
  "closing: does not wait for idle connections": async (trial) => {
    const { server, port } = await trial.serve();
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
    assert.ok(performance.now() - started < 5_000);
  },
  "closing: cuts what takes longer than the grace": async (trial) => {
    const { made, arrived, release } = holding();
    const { server, url } = await trial.serve({}, made);
    const inFlight = trial.fetch(`${url}/api/webhooks/acme`, await webhook("{}")).catch((error: Error) => error);
    await arrived;
    await server.close({ graceMs: 50 });
    assert.ok((await inFlight) instanceof Error);
    release();
  },
  "closing: twice, or without having listened, is harmless": async (trial) => {
    const { server } = await trial.serve();
    await Promise.all([server.close(), server.close()]);
    await server.close();
    await createHttpServer(makeApp().app).close();
  },
  "closing: under load resets nothing": async (trial) => {
    const { server, url, log } = await trial.serve();
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
    assert.deepEqual(failures, []);
    assert.equal(answered, log.lines.length);
    assert.ok(answered >= 500);
  },
};
