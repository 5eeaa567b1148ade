import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { createServer, Socket } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import type { Gateway } from "../src/gateway.ts";
import { boundConnections } from "../src/node/bound-connections.ts";
import { placeRequest } from "../src/node/connections.ts";

/** A server without a port, to which a test brings sockets itself. */
const scene = (maxConnectionsPerAddress: number, maxConnections = 100) => {
  const server = createServer() as unknown as Server;
  const note = vi.fn();
  const gateway = {
    settings: { trustProxy: 0 },
    waste: { isInDebt: () => false, note },
  } as unknown as Gateway;
  const refused: Socket[] = [];
  boundConnections(server, gateway, { maxConnections, maxConnectionsPerAddress }, (socket) => refused.push(socket));
  const open: Socket[] = [];
  const come = (address = "127.0.0.2"): Socket => {
    const socket = new Socket();
    Object.defineProperty(socket, "remoteAddress", { value: address });
    open.push(socket);
    server.emit("connection", socket);
    return socket;
  };
  const leave = async (socket: Socket): Promise<void> => {
    socket.destroy();
    await new Promise((resolve) => socket.once("close", resolve));
  };
  onTestFinished(() => {
    for (const socket of open) socket.destroy();
  });
  /** A request of a connection, whose answer has not left. */
  const ask = (socket: Socket, complete: boolean, response: Partial<ServerResponse> = {}) => {
    const listeners = { once: () => undefined };
    const req = { socket, headers: {}, complete } as IncomingMessage;
    return placeRequest(gateway, req, { writableFinished: false, ...listeners, ...response } as ServerResponse);
  };
  return { refused, note, come, leave, ask };
};

test("a connection that ends without an answer counts for its address", async () => {
  const { note, come, leave } = scene(100);
  await leave(come());
  expect(note.mock.calls).toEqual([["127.0.0.2", "unanswered"]]);
});

test("a caller that leaves while its request waits has broken it off if only a part has come", async () => {
  const { note, come, leave, ask } = scene(100);
  const [whole, part] = [come(), come()];
  ask(whole, true).waits = true;
  ask(part, false).waits = true;
  await leave(whole);
  await leave(part);
  expect(note.mock.calls.map(([, kind]) => kind)).toEqual(["left", "unanswered"]);
});

test("when the server is full, the address with the most connections loses one that owes no answer", async () => {
  const { refused, come, leave, ask } = scene(4, 4);
  const [whole, part, unread, idle] = [come(), come(), come(), come()];
  ask(whole, true);
  ask(part, false);
  ask(unread, true, { writableEnded: true });
  for (const gone of [idle, part, unread]) {
    const others = [whole, part, unread, idle].filter((socket) => socket !== gone && !socket.destroyed);
    const newcomer = come("127.0.0.3");
    expect(gone.destroyed).toBe(true);
    expect(others.filter((socket) => socket.destroyed)).toEqual([]);
    await leave(newcomer);
    // It takes the place of the one that went.
    ask(come(), true);
  }
  const beyond = come("127.0.0.3");
  expect(refused).toEqual([beyond]);
  expect(whole.destroyed).toBe(false);
});
