import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { createHttpServer, type HttpServer } from "../src/node/index.ts";
import { makeApp } from "../src/testing/app-under-test.ts";
import { lines, open, parseReplies, readToEnd } from "../src/testing/raw.ts";

const started = "http.server.request.start";
const ends: (() => Promise<void> | void)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** A server, and the requests that Node makes of what comes to it. */
const scene = async () => {
  const server: HttpServer = createHttpServer(makeApp().app, { maxRequestsPerConnection: 10 });
  const { port } = await server.listen();
  const made = { requests: 0 };
  const count = (message: unknown): void => {
    const { socket } = message as { readonly socket: Socket };
    if (socket.localPort !== port) return;
    made.requests += 1;
  };
  subscribe(started, count);
  ends.push(
    () => void unsubscribe(started, count),
    () => server.close({ graceMs: 0 }),
  );
  return { port, made };
};

const live = lines("GET /health/live HTTP/1.1", "Host: a");

describe("requests behind the last one of a connection", () => {
  test("are not even parsed, however many come", async () => {
    const { port, made } = await scene();
    const socket = await open(port);
    const text = readToEnd(socket);
    // They fit into one read of the server's. So it has read all of them when it closes the
    // connection, and the answers are not lost.
    socket.write(live.repeat(1_000));
    const answers = parseReplies(await text);
    expect(answers.map(({ status }) => status)).toEqual([...Array.from({ length: 10 }, () => 200), 503]);
    // The ten, the one that is refused, and the one after it.
    expect(made.requests).toBe(12);
  });

  test("take nothing from the ones before, whose bodies come in whole", async () => {
    const { port, made } = await scene();
    const socket = await open(port);
    const text = readToEnd(socket);
    const body = JSON.stringify({ name: "Ada", email: "ada@example.com", password: "correct horse battery" });
    const head = ["Host: a", "Content-Type: application/json", `Content-Length: ${body.length}`];
    const post = lines("POST /api/v2/users HTTP/1.1", ...head) + body;
    socket.write(`${post}${live.repeat(30)}`);
    const statuses = parseReplies(await text).map(({ status }) => status);
    expect(statuses).toEqual([201, ...Array.from({ length: 9 }, () => 200), 503]);
    expect(made.requests).toBe(12);
  });
});
