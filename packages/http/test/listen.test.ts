import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { connect } from "node:net";
import { afterEach, expect, test } from "vitest";
import { listen } from "../src/node/create-http-server.ts";

const numberIn = (path: string): number => Number(existsSync(path) ? readFileSync(path, "utf8") : 0);
/** The system's own bound; a server cannot have more. */
const roomOfSystem = numberIn("/proc/sys/net/core/somaxconn");
const burst = 2_000;

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** How many connections wait to be taken; for a socket that listens, the system calls them received. */
const waitingAt = (port: number): number => {
  const listening = readFileSync("/proc/net/tcp", "utf8")
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .find(
      ([, local, , state]) => state === "0A" && local?.endsWith(`:${port.toString(16).toUpperCase().padStart(4, "0")}`),
    );
  return Number.parseInt(listening?.[4]?.split(":")[1] ?? "", 16);
};

test.skipIf(roomOfSystem < burst)("connections that come at once find room until the server takes them", async () => {
  const server = createServer();
  const { port } = await listen(server);
  const sockets = Array.from({ length: burst }, () => connect({ port, host: "127.0.0.1" }));
  closing.push(() => {
    for (const socket of sockets) socket.on("error", () => undefined).destroy();
    server.close();
  });
  // All of them have been started after this, and the server has had no turn to take one.
  await new Promise((resolve) => process.nextTick(resolve));
  expect(waitingAt(port)).toBe(burst);
  await Promise.all(sockets.map((socket) => once(socket, "connect")));
});
