import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { EventEmitter, once } from "node:events";
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { createHttpServer } from "../src/node/index.ts";
import { makeApp } from "../src/testing/app-under-test.ts";
import { from, hold, letGo } from "../src/testing/from-address.ts";
import { lines, readToEnd } from "../src/testing/raw.ts";

const ends: (() => Promise<void> | void)[] = [];

afterEach(async () => {
  letGo();
  for (const end of ends.splice(0)) await end();
});

/** A server that takes 100 small chunks of an address. */
const serve = async (app = makeApp().app): Promise<number> => {
  const server = createHttpServer(app, { maxSmallChunksPerMinute: 100 });
  ends.push(() => server.close({ graceMs: 0 }));
  return (await server.listen()).port;
};

const chunked = lines(
  "POST /api/v2/users HTTP/1.1",
  "Host: a",
  "Content-Type: application/json",
  "Transfer-Encoding: chunked",
);
const chunks = (count: number): string => "1\r\n \r\n".repeat(count);

describe("chunks of one byte beyond the bound of their address", () => {
  test("are read no further than the piece in which they pass it", async () => {
    const port = await serve();
    let read = 0;
    const noteBytes = (message: unknown): void => {
      const { socket } = message as { readonly socket: Socket };
      if (socket.localPort === port) socket.once("close", () => (read = socket.bytesRead));
    };
    subscribe("http.server.request.start", noteBytes);
    ends.push(() => void unsubscribe("http.server.request.start", noteBytes));
    const socket = await hold("127.0.0.2", port, chunked);
    socket.write(chunks(500_000));
    if (!socket.destroyed) await once(socket.resume(), "close");
    await expect.poll(() => read).toBeGreaterThan(0);
    expect(read).toBeLessThanOrEqual(chunked.length + 64 * 1024);
  });

  test("are not even handed out to the end of this piece, and the caller is told", async () => {
    const port = await serve();
    let handedOut = 0;
    const countChunks = (message: unknown): void => {
      const { request, socket } = message as { readonly request: IncomingMessage; readonly socket: Socket };
      if (socket.localPort !== port) return;
      let { push } = request;
      Object.defineProperty(request, "push", {
        get: () => push,
        // The server's own method is set once. From then on the parser calls this for each chunk.
        set: (taking: typeof push) => {
          push = (chunk) => {
            handedOut += 1;
            return taking.call(request, chunk);
          };
        },
      });
    };
    subscribe("http.server.request.start", countChunks);
    ends.push(() => void unsubscribe("http.server.request.start", countChunks));
    const answer = readToEnd((await hold("127.0.0.2", port, chunked + chunks(9_000))).resume());
    expect(await answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(handedOut).toBe(101);
    // Node uses the parser of the connection again.
    for (let times = 0; times < 5; times += 1) {
      const { status } = await from("127.0.0.3", `http://127.0.0.1:${port}/api/v2/users`, {
        headers: { "content-type": "application/json", "transfer-encoding": "chunked" },
        body: JSON.stringify({ name: "Ada", email: `ada-${times}@example.com`, password: "correct horse battery" }),
      });
      expect(status).toBe(201);
    }
  });

  test("end the other connections of the address that are idle or send chunks, and no others", async () => {
    const made = makeApp();
    const asked = new EventEmitter();
    const port = await serve({
      ...made.app,
      handle: () => {
        asked.emit("request");
        return new Promise(() => undefined);
      },
    });
    const idle = await hold("127.0.0.2", port);
    const sending = await hold("127.0.0.2", port, chunked + chunks(1));
    const isAsked = once(asked, "request");
    const waiting = await hold("127.0.0.2", port, lines("GET /api HTTP/1.1", "Host: a"));
    await isAsked;
    const elsewhere = await hold("127.0.0.3", port);
    const bad = await hold("127.0.0.2", port, chunked);
    const closed = Promise.all([idle, sending, bad].map((socket) => once(socket.resume(), "close")));
    bad.write(chunks(200));
    await closed;
    expect([waiting, elsewhere].map(({ destroyed }) => destroyed)).toEqual([false, false]);
  });
});
