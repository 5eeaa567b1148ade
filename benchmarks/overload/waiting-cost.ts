import { fork } from "node:child_process";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { rawRequest } from "../siege/raw-request.ts";

const requests = 3_000;
/** The first ones also pay for what all share. */
const before = 1_000;
const settleMs = 4_000;

/** A head of 0.8 kB, as clients with a token send it. */
const read = rawRequest("GET", "/api/v2/users/me", {
  headers: {
    authorization: `Bearer ${"x".repeat(600)}`,
    "user-agent": "a client of the API",
    accept: "application/json",
    "accept-encoding": "gzip, br",
  },
});

const open = async (port: number, n: number): Promise<Socket> => {
  const socket = connect({ port, host: "127.0.0.1", localAddress: `127.0.0.${2 + (n % 50)}` });
  socket.write(rawRequest("GET", "/health/live"));
  await once(socket, "data");
  return socket.resume();
};

/**
 * Measures what a read that waits for its turn costs, in kilobytes of resident memory, in addition to
 * its connection.
 */
export const waitingCost = async (): Promise<{ readonly requests: number; readonly kilobytes: number }> => {
  const child = fork(fileURLToPath(new URL("waiting-server.ts", import.meta.url)), {
    execArgv: ["--expose-gc", "--conditions=@postern/source", "--import", "tsx"],
  });
  try {
    const [{ port }] = await once(child, "message");
    const sockets: Socket[] = [];
    for (let n = 0; n < before + requests; n += 1) sockets.push(await open(port, n));
    const memoryWith = async (some: readonly Socket[]): Promise<number> => {
      for (const socket of some) socket.write(read);
      await sleep(settleMs);
      child.send("measure");
      const [bytes] = await once(child, "message");
      return bytes;
    };
    const few = await memoryWith(sockets.slice(0, before));
    const all = await memoryWith(sockets.slice(before));
    for (const socket of sockets) socket.destroy();
    return { requests, kilobytes: (all - few) / 1_024 / requests };
  } finally {
    child.kill();
  }
};
