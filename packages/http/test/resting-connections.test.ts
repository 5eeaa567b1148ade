import { EventEmitter, once } from "node:events";
import { Agent, request } from "node:http";
import { Socket } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import { createHttpServer } from "../src/node/index.ts";
import { makeApp } from "../src/testing/app-under-test.ts";
import { reaches } from "../src/testing/assertions.ts";
import { from } from "../src/testing/from-address.ts";

afterEach(() => vi.restoreAllMocks());

/** A server whose answers wait for `open` while it is shut, but for those to the address `free`. */
const scene = async () => {
  const made = makeApp();
  const gate = new EventEmitter().setMaxListeners(0);
  const free = "127.0.0.9";
  const state = { shut: false, asked: 0 };
  const server = createHttpServer({
    ...made.app,
    handle: async (asked) => {
      state.asked += 1;
      if (state.shut && asked.facts.address !== free) await once(gate, "open");
      return made.app.handle(asked);
    },
  });
  const { url, port } = await server.listen();
  const agent = new Agent({ keepAlive: true, maxSockets: 1, localAddress: free });
  /** All over one connection. */
  const onFree = () =>
    new Promise<number | undefined>((resolve, reject) => {
      request(`${url}/api`, { agent }, (answer) => answer.resume().once("end", () => resolve(answer.statusCode)))
        .once("error", reject)
        .end();
    });
  const pause = vi.spyOn(Socket.prototype, "pause");
  const rested = () => pause.mock.contexts.filter((socket) => (socket as Socket).localPort === port).length;
  const shut = async (requests: number) => {
    state.shut = true;
    const before = state.asked;
    const replies = Array.from({ length: requests }, (_, n) => from(`127.0.0.${2 + (n % 2)}`, `${url}/api`));
    await reaches(() => state.asked, before + requests);
    return async () => {
      state.shut = false;
      gate.emit("open");
      return (await Promise.all(replies)).map(({ status }) => status);
    };
  };
  const close = async () => {
    agent.destroy();
    await server.close({ graceMs: 1_000 });
  };
  return { onFree, rested, shut, close };
};

test("while the process has many requests, an answered connection is not read for a moment, and then is read again", async () => {
  const { onFree, rested, shut, close } = await scene();
  for (let index = 0; index < 200; index += 1) expect(await onFree()).toBe(200);
  expect(rested()).toBe(0);
  const open = await shut(80);
  expect(await onFree()).toBe(200);
  await reaches(rested, 1);
  // The connection does not rest for long, whatever the others do.
  expect(await onFree()).toBe(200);
  expect(new Set(await open())).toEqual(new Set([200]));
  await close();
});

test("connections of an address that makes little work do not rest, however many requests others have", async () => {
  const { onFree, rested, shut, close } = await scene();
  const open = await shut(80);
  for (let index = 0; index < 8; index += 1) expect(await onFree()).toBe(200);
  expect(rested()).toBe(0);
  expect(new Set(await open())).toEqual(new Set([200]));
  await close();
});

test("no connection rests while the process has few requests", async () => {
  const { onFree, rested, shut, close } = await scene();
  for (let index = 0; index < 50; index += 1) await onFree();
  const open = await shut(20);
  for (let index = 0; index < 50; index += 1) expect(await onFree()).toBe(200);
  expect(rested()).toBe(0);
  expect(new Set(await open())).toEqual(new Set([200]));
  await close();
});
