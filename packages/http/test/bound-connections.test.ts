import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { createServer, Socket } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import type { Gateway } from "../src/gateway.ts";
import type { NodeExchange } from "../src/node/connections.ts";

// All servers of a process begin their connections in the same turns. These tests stop the clock, so
// they need turns that no other test has used.
vi.resetModules();
const { boundConnections } = await import("../src/node/bound-connections.ts");
const { placeOf, turnOf } = await import("../src/node/connections.ts");

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

/** A server without a port, to which a test brings sockets itself. */
const scene = (maxConnectionsPerAddress: number, maxConnections = 100) => {
  // The clock stands still, so a burst lasts for as long as connections come.
  vi.useFakeTimers({ toFake: ["performance"] });
  const server = createServer() as unknown as Server;
  const begun: Socket[] = [];
  server.on("connection", (socket: Socket) => begun.push(socket));
  const noteUnanswered = vi.fn();
  const noteLeft = vi.fn();
  const gateway = {
    settings: { trustProxy: 0 },
    newConnections: { admits: () => true, noteUnanswered, noteLeft },
  } as unknown as Gateway;
  const refused: Socket[] = [];
  boundConnections(server, gateway, { maxConnections, maxConnectionsPerAddress }, (socket) => refused.push(socket));
  const open: Socket[] = [];
  const come = (address?: string): Socket => {
    const socket = new Socket();
    if (address !== undefined) Object.defineProperty(socket, "remoteAddress", { value: address });
    open.push(socket);
    server.emit("connection", socket);
    return socket;
  };
  const leave = async (socket: Socket): Promise<void> => {
    socket.destroy();
    await new Promise((resolve) => socket.once("close", resolve));
  };
  onTestFinished(async () => {
    for (const socket of open) socket.destroy();
    for (let turn = 0; turn < 5; turn += 1) await nextTurn();
    vi.useRealTimers();
  });
  /** The request of a connection, which waits for its turn. */
  const wait = (
    socket: Socket,
    request: Pick<IncomingMessage, "complete">,
    response: Partial<Pick<ServerResponse, "writableEnded" | "writableFinished">> = {},
  ): void => {
    const req = { socket, headers: {}, ...request } as IncomingMessage;
    const res = { writableFinished: false, ...response } as ServerResponse;
    void turnOf(gateway, req, res);
    const placed = placeOf(req, res);
    if (placed !== undefined) placed.nodeExchange = { waits: true } as NodeExchange;
  };
  return { begun, refused, noteUnanswered, noteLeft, come, leave, wait };
};

/** Connections that come in every turn, so that they have to wait. */
const burst = async (come: () => Socket, count: number): Promise<readonly Socket[]> => {
  const sockets: Socket[] = [];
  for (let n = 0; n < count; n += 1) {
    sockets.push(come());
    await nextTurn();
  }
  return sockets;
};

test("a refused connection whose caller has gone does no harm", () => {
  const { refused, come } = scene(0);
  const socket = come();
  expect(refused).toEqual([socket]);
  // Without a listener, this would throw and end the process.
  expect(socket.emit("error", new Error("write ECONNRESET"))).toBe(true);
});

test("nothing is read of a connection until it begins", () => {
  const server = createServer() as unknown as Server & { pauseOnConnect: boolean };
  const gateway = { settings: { trustProxy: 0 }, newConnections: {} } as unknown as Gateway;
  boundConnections(server, gateway, { maxConnections: 1, maxConnectionsPerAddress: 1 }, () => undefined);
  expect(server.pauseOnConnect).toBe(true);
});

test("a connection that ends without an answer counts for its address, also if it never began", async () => {
  const { begun, noteUnanswered, noteLeft, come, leave } = scene(100);
  const sockets = await burst(come, 4);
  const [first, , , last] = sockets as [Socket, Socket, Socket, Socket];
  expect(begun).toContain(first);
  expect(begun).not.toContain(last);
  await leave(first);
  await leave(last);
  expect([noteUnanswered.mock.calls.length, noteLeft.mock.calls.length]).toEqual([2, 0]);
  for (let turn = 0; turn < 10; turn += 1) await nextTurn();
  expect(begun).not.toContain(last);
  expect(begun).toHaveLength(3);
});

test("a caller that leaves while its request waits has broken it off if only a part has come", async () => {
  const { noteUnanswered, noteLeft, come, leave, wait } = scene(100);
  const [whole, part] = [come(), come()];
  wait(whole, { complete: true });
  wait(part, { complete: false });
  await leave(whole);
  expect([noteUnanswered.mock.calls.length, noteLeft.mock.calls.length]).toEqual([0, 1]);
  await leave(part);
  expect([noteUnanswered.mock.calls.length, noteLeft.mock.calls.length]).toEqual([1, 1]);
});

test("when an address has nearly all of its connections, each new one lets another begin", async () => {
  const { begun, refused, come } = scene(10);
  const sockets = await burst(come, 9);
  expect(begun.length).toBeLessThan(4);
  const before = begun.length;
  come();
  expect(begun.length).toBe(before + 1);
  const beyond = come();
  expect(begun.length).toBe(before + 2);
  expect(refused).toEqual([beyond]);
  expect(sockets).toContain(begun.at(-1));
});

test("when the server is full, the address with the most connections loses one that owes no answer", async () => {
  const { begun, refused, come, wait } = scene(4, 4);
  const sockets = [come("127.0.0.2"), come("127.0.0.2"), come("127.0.0.2"), come("127.0.0.2")] as const;
  while (begun.length < 4) await nextTurn();
  const [whole, part, unread, idle] = sockets;
  wait(whole, { complete: true });
  wait(part, { complete: false });
  wait(unread, { complete: true }, { writableEnded: true });
  wait(idle, { complete: true }, { writableFinished: true });
  for (const gone of [idle, part, unread]) {
    const others = sockets.filter((socket) => socket !== gone && !socket.destroyed);
    const newcomer = come("127.0.0.3");
    expect(gone.destroyed).toBe(true);
    expect(others.filter((socket) => socket.destroyed)).toEqual([]);
    newcomer.destroy();
    await new Promise((resolve) => newcomer.once("close", resolve));
    // It takes the place of the one that went.
    wait(come("127.0.0.2"), { complete: true });
  }
  const beyond = come("127.0.0.3");
  expect(refused).toEqual([beyond]);
  expect(whole.destroyed).toBe(false);
});
