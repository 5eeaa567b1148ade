import { createHook } from "node:async_hooks";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { expect, test } from "vitest";
import { createHttpServer } from "../src/node/index.ts";
import { makeApp } from "../src/testing/app-under-test.ts";

const requests = 50;

/** Sends one request after the other, without a promise of its own, and then calls `done`. */
const sendAll = (socket: Socket, status: string, done: () => void): void => {
  let left = requests;
  let text = "";
  const send = () => socket.write("GET /api/v2/posts HTTP/1.1\r\nhost: a\r\n\r\n");
  const onData = (piece: string): void => {
    text += piece;
    const length = /content-length: (\d+)\r\n.*?\r\n\r\n/is.exec(text);
    if (length === null || text.length < length.index + length[0].length + Number(length[1])) return;
    expect(text.slice(9, 12)).toBe(status);
    text = "";
    left -= 1;
    if (left > 0) send();
    else {
      socket.off("data", onData);
      done();
    }
  };
  socket.setEncoding("latin1").on("data", onData);
  send();
};

/** How many promises are made while requests are answered with this status. */
const promisesFor = (socket: Socket, status: string): Promise<number> =>
  new Promise((resolve) => {
    let made = 0;
    const hook = createHook({
      init: (_id, type) => {
        if (type === "PROMISE") made += 1;
      },
    });
    hook.enable();
    sendAll(socket, status, () => {
      hook.disable();
      resolve(made);
    });
  });

test("a refusal under overload makes no promise and asks nothing of the application", async () => {
  const delay = { ms: 0 };
  const { app } = makeApp();
  let asked = 0;
  const counted = {
    ...app,
    handle: (request: Parameters<typeof app.handle>[0]) => {
      asked += 1;
      return app.handle(request);
    },
  };
  const server = createHttpServer(counted, { eventLoopDelayMs: () => delay.ms });
  const { port } = new URL((await server.listen()).url);
  const socket = connect(Number(port), "127.0.0.1");
  try {
    await once(socket, "connect");
    const ofAnswers = await promisesFor(socket, "401");
    expect(asked).toBe(requests);
    delay.ms = 1_000;
    const ofRefusals = await promisesFor(socket, "503");
    expect(asked).toBe(requests);
    // Timers and the like may make some meanwhile, but no refusal makes one.
    expect(ofRefusals).toBeLessThan(requests);
    expect(ofAnswers).toBeGreaterThan(5 * requests);
  } finally {
    socket.destroy();
    await server.close();
  }
});
