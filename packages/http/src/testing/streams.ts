import assert from "node:assert/strict";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { App } from "@postern/app";
import { type Made, makeApp } from "./app-under-test.ts";
import { reaches } from "./assertions.ts";
import type { Cases } from "./cases.ts";
import { hold } from "./from-address.ts";
import { lines } from "./raw.ts";
import type { Served, ServedByServer } from "./trial.ts";

/** An app whose answers to `GET /api` are these pieces, one after the other, and what became of them. */
const streaming = (pieceOf: (index: number) => Promise<string | undefined>) => {
  const made = makeApp();
  const seen = { asked: 0, ended: 0 };
  const app: App = {
    ...made.app,
    handle: async (request) => {
      if (request.facts.target !== "/api") return made.app.handle(request);
      let end = (): void => undefined;
      const ended = new Promise<undefined>((resolve) => {
        end = () => {
          seen.ended += 1;
          end = () => undefined;
          resolve(undefined);
        };
      });
      let index = 0;
      return {
        status: 200,
        headers: { "content-type": "text/event-stream" },
        stream: {
          next: () => {
            seen.asked += 1;
            index += 1;
            return Promise.race([ended, pieceOf(index - 1)]);
          },
          end: () => end(),
        },
      };
    },
  };
  const whole: Made = { ...made, app };
  return { made: whole, seen };
};

const never = (): Promise<undefined> => new Promise(() => undefined);

const ofThree = async (index: number): Promise<string | undefined> => ["data: a\n\n", "data: ü\n\n", ": x\n\n"][index];

export const streamMessages: Cases<Served> = {
  "streams: are sent piece by piece to their end, with no length and no coding": async (trial) => {
    const { made } = streaming(ofThree);
    const { url } = await trial.serve({}, made);
    const answer = await trial.fetch(`${url}/api`, { headers: { "accept-encoding": "gzip, br" } });
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get("content-type"), "text/event-stream");
    assert.equal(answer.headers.get("content-length"), null);
    assert.equal(answer.headers.get("content-encoding"), null);
    assert.equal(await answer.text(), "data: a\n\ndata: ü\n\n: x\n\n");
  },
  "streams: end for a HEAD before anything is made": async (trial) => {
    const { made, seen } = streaming(never);
    const { url } = await trial.serve({}, made);
    const answer = await trial.fetch(`${url}/api`, { method: "HEAD" });
    assert.equal(answer.status, 200);
    assert.equal(await answer.text(), "");
    assert.deepEqual(seen, { asked: 0, ended: 1 });
  },
};

const get = lines("GET /api HTTP/1.1", "Host: a");

export const streamConnections: Cases<ServedByServer> = {
  "streams: arrive at once, and end when their reader goes": async (trial) => {
    const { made, seen } = streaming(async (index) => (index === 0 ? ": first\n\n" : never()));
    const { port } = await trial.serve({}, made);
    const socket = await hold("127.0.0.2", port, get);
    let text = "";
    socket.on("data", (bytes: Buffer) => (text += bytes.toString())).resume();
    await reaches(() => Number(text.includes(": first\n\n")), 1);
    assert.equal(seen.ended, 0);
    socket.destroy();
    await reaches(() => seen.ended, 1);
  },
  "streams: are not made faster than they are read": async (trial) => {
    const piece = `: ${"x".repeat(100_000)}\n\n`;
    const { made, seen } = streaming(async () => piece);
    const { port } = await trial.serve({}, made);
    const socket = await hold("127.0.0.2", port, get);
    let before = -1;
    // Until the buffers of the kernel are full.
    while (before !== seen.asked) {
      before = seen.asked;
      await sleep(200);
    }
    assert.ok(seen.asked < 200, `${seen.asked} pieces`);
    socket.resume();
    await reaches(() => Number(seen.asked > before + 10), 1);
    socket.destroy();
  },
  "streams: end when the server stops, with everything that was sent": async (trial) => {
    const { made, seen } = streaming(async (index) => (index === 0 ? ": first\n\n" : never()));
    const { port, server } = await trial.serve({}, made);
    const socket = await hold("127.0.0.2", port, get);
    let text = "";
    socket.on("data", (bytes: Buffer) => (text += bytes.toString())).resume();
    await reaches(() => seen.asked, 2);
    const ended = once(socket, "close");
    await server.close({ graceMs: 5_000 });
    await ended;
    assert.equal(seen.ended, 1);
    assert.ok(text.endsWith(": first\n\n\r\n0\r\n\r\n"), text);
  },
};
