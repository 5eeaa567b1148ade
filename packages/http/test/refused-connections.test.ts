import type { Server } from "node:http";
import { createServer, Socket } from "node:net";
import { expect, test } from "vitest";
import type { Gateway } from "../src/gateway.ts";
import { boundConnections } from "../src/node/bound-connections.ts";

test("a refused connection whose caller has gone does no harm", () => {
  const server = createServer() as unknown as Server;
  const gateway = {
    settings: { trustProxy: 0 },
    newConnections: { admits: () => true, noteUnanswered: () => undefined },
  } as unknown as Gateway;
  const refused: Socket[] = [];
  const limits = { maxConnections: 10, maxConnectionsPerAddress: 0 };
  boundConnections(server, gateway, limits, (socket) => refused.push(socket));

  const socket = new Socket();
  server.emit("connection", socket);
  expect(refused).toEqual([socket]);
  // Without a listener, this would throw and end the process.
  expect(socket.emit("error", new Error("write ECONNRESET"))).toBe(true);
});
