import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";
import { expect, test } from "vitest";
import { createHttpServer } from "../src/node/index.ts";
import { makeApp } from "../src/testing/app-under-test.ts";
import { lines, open } from "../src/testing/raw.ts";

const started = "http.server.request.start";

/** What the app answers to a request whose turn comes when its caller has gone, or is still there. */
const statusFor = async (method: string, isGone: boolean): Promise<number> => {
  const { app } = makeApp();
  let arrived = (): void => undefined;
  let itsTurn = (): void => undefined;
  let answered: (status: number) => void = () => undefined;
  const arrival = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  const turn = new Promise<void>((resolve) => {
    itsTurn = resolve;
  });
  const status = new Promise<number>((resolve) => {
    answered = resolve;
  });
  const server = createHttpServer({
    ...app,
    handle: async (request) => {
      arrived();
      await turn;
      const answer = await app.handle(request);
      answered(answer.status);
      return answer;
    },
  });
  const { port } = await server.listen();
  let closed: Promise<unknown> = Promise.resolve();
  const watch = (message: unknown): void => {
    const { socket } = message as { readonly socket: Socket };
    // Not `once`, which rejects when the connection is reset.
    if (socket.localPort === port) closed = new Promise((resolve) => socket.once("close", resolve));
  };
  subscribe(started, watch);
  try {
    const socket = await open(port);
    socket.on("error", () => undefined).resume();
    socket.write(lines(`${method} /api HTTP/1.1`, "Host: a"));
    await arrival;
    if (isGone) {
      socket.resetAndDestroy();
      await closed;
    }
    itsTurn();
    return await status;
  } finally {
    unsubscribe(started, watch);
    await server.close({ graceMs: 0 });
  }
};

test.each(["GET", "HEAD"])("a %s is not answered any more when its caller has gone before its turn", async (method) => {
  expect(await statusFor(method, true)).toBe(400);
  expect(await statusFor(method, false)).toBe(200);
});
