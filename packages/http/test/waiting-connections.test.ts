import { once } from "node:events";
import { createConnection, Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { createHttpServer } from "../src/node/index.ts";
import { createWaitingConnections } from "../src/node/waiting-connections.ts";
import { makeApp } from "./support/serve.ts";

let server: ReturnType<typeof createHttpServer>;
let port: number;
let running = true;
const sockets = new Set<Socket>();

beforeEach(async () => {
  server = createHttpServer(makeApp().app);
  ({ port } = await server.listen());
  running = true;
});
afterEach(async () => {
  running = false;
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  await server.close({ graceMs: 0 });
});

const connect = (localAddress = "127.0.0.1"): Socket => {
  const socket = createConnection({ port, host: "127.0.0.1", localAddress }).on("error", () => undefined);
  sockets.add(socket);
  socket.once("close", () => sockets.delete(socket));
  return socket;
};

const request = "GET /health/live HTTP/1.1\r\nhost: a\r\n\r\n";

/** Sends more requests over one connection than may wait. */
const waste = async (count = 64): Promise<void> => {
  const socket = connect();
  socket.resume().write(request.repeat(count));
  await once(socket, "close");
};

/** The status of one request over a connection of its own; `closed` without an answer. */
const ask = async (localAddress?: string): Promise<string> => {
  const socket = connect(localAddress);
  let text = "";
  socket.on("data", (piece) => {
    text += piece;
  });
  socket.write(request.replace("\r\n\r\n", "\r\nconnection: close\r\n\r\n"));
  await once(socket, "close");
  return /^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? "closed";
};

/** The address is in debt after the third of these in a minute. */
const incurDebt = async (): Promise<void> => {
  for (let times = 0; times < 3; times += 1) await waste();
};

describe("an address in debt", () => {
  test("is in none after two connections with too many pipelined requests", async () => {
    await waste();
    await waste();
    expect(await Promise.all(Array.from({ length: 300 }, () => ask()))).toEqual(Array(300).fill("200"));
  });

  test("gets its connections one after the other, in the order in which they came; others at once", async () => {
    await incurDebt();
    const began = performance.now();
    const order: number[] = [];
    const own = Array.from({ length: 10 }, async (_, n) => {
      const status = await ask();
      order.push(n);
      return status;
    });
    expect(await ask("127.0.0.9")).toBe("200");
    expect(order.length).toBeLessThan(10);
    expect(await Promise.all(own)).toEqual(Array(10).fill("200"));
    // The first of them, and one each 100 ms.
    expect(performance.now() - began).toBeGreaterThan(800);
    expect(order).toEqual(order.toSorted((a, b) => a - b));
  });

  test("has 8 connections open at once, and the next one when one of them closes", async () => {
    await incurDebt();
    const open: Socket[] = [];
    for (let n = 0; n < 8; n += 1) {
      const socket = connect();
      socket.write(request);
      await once(socket, "data");
      open.push(socket);
    }
    let isAnswered = false;
    const next = ask().then((status) => {
      isAnswered = true;
      return status;
    });
    const late = connect();
    late.write(request);
    // Two turns pass for another address, which waits for none.
    for (let n = 0; n < 2; n += 1) await ask("127.0.0.9");
    expect(isAnswered).toBe(false);
    open[0]?.destroy();
    expect(await next).toBe("200");
  });

  test("has 128 that wait, and loses only those beyond; callers that leave make room", async () => {
    await incurDebt();
    const waiting = Array.from({ length: 200 }, () => connect());
    const closed = await new Promise<number>((resolve) => {
      let count = 0;
      for (const socket of waiting) {
        socket.resume().once("close", () => {
          count += 1;
          if (count === 60) resolve(count);
        });
      }
    });
    expect(closed).toBe(60);
    const left = [...sockets];
    // Those that wait break off; the server goes on.
    for (const socket of left) socket.resetAndDestroy();
    expect(await ask()).toBe("200");
  });

  test("leaves a caller behind the same address its answers, though another one goes on wasting", {
    timeout: 60_000,
  }, async () => {
    const loops = Array.from({ length: 60 }, async () => {
      while (running) await waste();
    });
    for (let n = 0; n < 2; n += 1) expect(await ask()).toBe("200");
    running = false;
    for (const socket of sockets) socket.destroy();
    await Promise.all(loops);
  });
});

/** Time that passes only when a test says so. */
const inVirtualTime = (): void => {
  vi.useFakeTimers({ toFake: ["performance", "setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
};

describe("the line of an address in debt", () => {
  test.each([50, 700])(
    "lets a caller in within 8 s, though 60 connections of others come again and again (each %i ms)",
    async (openMs) => {
      inVirtualTime();
      const line = createWaitingConnections({ waste: { isInDebt: () => true }, draining: false } as never);
      let isOver = false;
      const refused: string[] = [];
      /** Opens a connection; resolves when it is let in. */
      const come = (who: string): Promise<Socket> =>
        new Promise((resolve) => {
          const socket = new Socket();
          if (!line.wait("a", socket, () => resolve(socket))) refused.push(who);
        });
      const leave = (socket: Socket): Promise<unknown> => {
        const closed = once(socket, "close");
        socket.destroy();
        return closed;
      };
      const wasting = Array.from({ length: 60 }, async () => {
        while (!isOver) {
          const socket = await come("wasting");
          await new Promise((resolve) => setTimeout(resolve, openMs));
          await leave(socket);
        }
      });
      const waits: number[] = [];
      const honest = (async () => {
        for (let n = 0; n < 20; n += 1) {
          const began = performance.now();
          const socket = await come("honest");
          waits.push(performance.now() - began);
          await leave(socket);
        }
        isOver = true;
      })();
      while (!isOver) await vi.advanceTimersByTimeAsync(100);
      await honest;
      await vi.advanceTimersByTimeAsync(20_000);
      await Promise.all(wasting);
      expect(refused).toEqual([]);
      expect(waits.length).toBe(20);
      expect(Math.max(...waits)).toBeLessThanOrEqual(8_000);
    },
  );

  test("has its turns apart from those of other addresses in debt, whose waste is parsed in one go", async () => {
    inVirtualTime();
    const line = createWaitingConnections({ waste: { isInDebt: () => true }, draining: false } as never);
    const letInAt: number[] = [];
    const come = (network: string): void => {
      const socket = new Socket();
      line.wait(network, socket, () => {
        letInAt.push(performance.now());
        socket.destroy();
      });
    };
    const networks = Array.from({ length: 8 }, (_, n) => `network ${n}`);
    // The first of each has no line to wait in.
    for (const network of networks) for (let n = 0; n < 6; n += 1) come(network);
    expect(letInAt.length).toBe(8);
    for (let n = 0; n < 80; n += 1) await vi.advanceTimersByTimeAsync(50);
    const later = letInAt.slice(8);
    expect(later.length).toBe(40);
    const gaps = later.slice(1).map((at, n) => at - (later[n] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(50);
  });
});
