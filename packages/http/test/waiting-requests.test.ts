import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";
import { memoryTelemetry } from "@postern/core/memory";
import { expect, onTestFinished, test } from "vitest";
import { turns } from "../src/node/fair-turns.ts";
import { createHttpServer } from "../src/node/index.ts";
import { makeApp } from "../src/testing/app-under-test.ts";
import { lines, open, parseReplies, readToEnd } from "../src/testing/raw.ts";

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

const scene = async () => {
  const telemetry = memoryTelemetry();
  const options = { telemetry, maxUnansweredPerMinute: 2, maxNewConnectionsPerSecond: 1 };
  const server = createHttpServer(makeApp().app, options);
  const { port } = await server.listen();
  onTestFinished(() => server.close({ graceMs: 0 }));
  const statuses = () =>
    telemetry.entries.filter(({ message }) => message === "request").map(({ fields }) => fields?.status);
  return { port, statuses };
};

/**
 * Connections of somebody else that come in every turn, so that requests wait, until `end` is called.
 * It resolves when all of them have begun: other files run in the same process.
 */
const burst = (): { end(): Promise<void> } => {
  let isOver = false;
  const connect = (begin: () => void): void => turns.connect("somebody else", begin);
  const turn = (): void => {
    if (isOver) return;
    connect(() => turns.noteFirstRequest());
    setImmediate(turn);
  };
  turn();
  const end = (): Promise<void> => {
    isOver = true;
    // Those of one network begin in the order in which they came.
    return new Promise<void>((resolve) => connect(resolve)).then(() => turns.noteFirstRequest());
  };
  onTestFinished(end);
  return { end };
};

/** The server's socket of the next request whose head it has parsed. */
const requestStarts = (): Promise<Socket> =>
  new Promise((resolve) => {
    const started = (message: unknown): void => {
      unsubscribe("http.server.request.start", started);
      resolve((message as { readonly socket: Socket }).socket);
    };
    subscribe("http.server.request.start", started);
  });

test("a caller who leaves while its request waits has not wasted the connection", async () => {
  const { port, statuses } = await scene();
  const left = (): number => statuses().filter((status) => status === 499).length;
  // Requests are held for half of the time, so some begin at once and are answered.
  for (let tries = 0; tries < 200 && left() < 5; tries += 1) {
    const socket = await open(port);
    const others = burst();
    for (let turn = 0; turn < 5; turn += 1) await nextTurn();
    const started = requestStarts();
    socket.write(lines("GET /api HTTP/1.1", "Host: a"));
    const served = await started;
    const closed = new Promise((resolve) => served.once("close", resolve));
    socket.resetAndDestroy();
    await closed;
    await others.end();
    while (turns.waiting > 0) await nextTurn();
  }
  expect(left()).toBe(5);
  for (let times = 0; times < 5; times += 1) {
    const socket = await open(port);
    const text = readToEnd(socket);
    socket.write(lines("GET /health/live HTTP/1.1", "Host: a", "Connection: close"));
    expect(parseReplies(await text)[0]?.status).toBe(200);
  }
});

test("a waiting request whose body turns into nonsense is logged with the answer that it got", async () => {
  const { port, statuses } = await scene();
  const socket = await open(port);
  for (let turn = 0; turn < 5; turn += 1) await nextTurn();
  const others = burst();
  const text = readToEnd(socket);
  const head = ["POST /api/users HTTP/1.1", "Host: a", "Content-Type: application/json", "Transfer-Encoding: chunked"];
  socket.write(`${lines(...head)}zzz\r\n`);
  expect(parseReplies(await text)[0]?.status).toBe(400);
  await others.end();
  while (statuses().length === 0) await nextTurn();
  expect(statuses()).toEqual([400]);
});
