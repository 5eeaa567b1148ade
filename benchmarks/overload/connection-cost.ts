import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { freshDatabase } from "../siege/database.ts";
import { rawRequest } from "../siege/raw-request.ts";
import { startServer } from "../siege/server.ts";

const connections = 5_000;
const atOnce = 100;
/** For the memory of new objects to be given back. */
const settleMs = 3_000;

const open = async (port: number, localAddress: string): Promise<Socket> => {
  const socket = connect({ port, host: "127.0.0.1", localAddress });
  socket.write(rawRequest("GET", "/health/live"));
  await once(socket, "data");
  return socket.resume();
};

/**
 * Measures what an open connection costs the server, in kilobytes of resident memory. Each has had
 * an answer and is idle.
 */
export const connectionCost = async (): Promise<{ readonly connections: number; readonly kilobytes: number }> => {
  const database = await freshDatabase("sqlite");
  // Idle connections stay open for as long as this takes.
  const environment = { POSTERN_KEEP_ALIVE: "600000" };
  const server = await startServer({ database, memory: 0, environment });
  const sockets: Socket[] = [];
  try {
    const openSome = async (count: number): Promise<void> => {
      for (let n = 0; n < count; n += atOnce) {
        const address = `127.0.0.${2 + (sockets.length % 50)}`;
        sockets.push(...(await Promise.all(Array.from({ length: atOnce }, () => open(server.port, address)))));
      }
      await sleep(settleMs);
    };
    // The first ones also pay for code and buffers that all share.
    await openSome(1_000);
    const before = server.figures().memory;
    await openSome(connections);
    const megabytes = server.figures().memory - before;
    return { connections, kilobytes: (megabytes * 1_024) / connections };
  } finally {
    for (const socket of sockets) socket.destroy();
    await server.stop();
    await database.drop();
  }
};
