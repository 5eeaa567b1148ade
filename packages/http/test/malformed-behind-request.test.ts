import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { EventEmitter, once } from "node:events";
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { createHttpServer } from "../src/node/index.ts";
import { makeApp } from "../src/testing/app-under-test.ts";
import { hold, letGo } from "../src/testing/from-address.ts";
import { lines, parseReplies, readToEnd } from "../src/testing/raw.ts";

const ends: (() => Promise<void> | void)[] = [];

afterEach(async () => {
  letGo();
  for (const end of ends.splice(0)) await end();
});

/** A server whose answers wait for `open`, and the request that it has taken. */
const scene = async () => {
  const { app } = makeApp();
  const gate = new EventEmitter();
  const handle = async (request: Parameters<typeof app.handle>[0]) => {
    await once(gate, "open");
    return app.handle(request);
  };
  const server = createHttpServer({ ...app, handle });
  ends.push(() => server.close({ graceMs: 0 }));
  const { port } = await server.listen();
  const taken: { response: ServerResponse; socket: Socket }[] = [];
  const note = (message: unknown): void => {
    const start = message as { readonly response: ServerResponse; readonly socket: Socket };
    if (start.socket.localPort === port) taken.push(start);
  };
  subscribe("http.server.request.start", note);
  ends.push(() => void unsubscribe("http.server.request.start", note));
  const socket = await hold("127.0.0.2", port, lines("GET /api HTTP/1.1", "Host: a"));
  await expect.poll(() => taken.length).toBe(1);
  const [first] = taken;
  if (first === undefined) throw new Error("no request was taken");
  return { socket, first, open: () => gate.emit("open") };
};

const piece = "nonsense".repeat(8 * 1024);

describe("bytes that are no request, behind a request that has no answer yet", () => {
  test("are not kept, however many come, and are answered once", async () => {
    const { socket, first, open } = await scene();
    const before = first.response.listenerCount("close");
    for (let sent = 0; sent < 14; sent += 1) {
      const reached = first.socket.bytesRead + piece.length;
      socket.write(piece);
      await expect.poll(() => first.socket.bytesRead, { interval: 1 }).toBeGreaterThanOrEqual(reached);
    }
    expect(first.response.listenerCount("close")).toBe(before + 1);
    const text = readToEnd(socket.resume());
    open();
    expect(parseReplies(await text).map(({ status }) => status)).toEqual([200, 400]);
  });

  test("cut the connection beyond 1 MiB", async () => {
    const { socket, first } = await scene();
    const closed = once(first.socket, "close");
    socket.on("error", () => undefined).write(piece.repeat(100));
    await closed;
    expect(first.socket.bytesRead).toBeLessThan(4 * 1024 * 1024);
  });
});
