import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { connect as connectOverTls } from "node:tls";
import type { Attack } from "../attack.ts";

const each = 90;
const silentEach = 60;
/** The server waits 10 s for a handshake. */
const longestMs = 12_000;

/** The first message of a client, as Node's own client sends it. */
const firstWords = async (): Promise<Buffer> => {
  const listener = createServer().listen(0, "127.0.0.1");
  await once(listener, "listening");
  const address = listener.address();
  if (address === null || typeof address === "string") throw new Error("the listener has no port");
  const heard = once(listener, "connection").then(([socket]: Socket[]) => {
    if (socket === undefined) throw new Error("no connection came");
    return once(socket, "data").then(([chunk]: Buffer[]) => ({ socket, chunk }));
  });
  const client = connectOverTls({ port: address.port, host: "127.0.0.1" }).on("error", () => undefined);
  const { socket, chunk } = await heard;
  socket.destroy();
  client.destroy();
  listener.close();
  if (chunk === undefined) throw new Error("the client said nothing");
  return chunk;
};

/**
 * Handshakes that begin and do not end: after half of the first message, and after all of it, when
 * the server has signed its answer. The latter come as fast as the server answers them.
 */
export const stalledHandshakes: Attack = {
  name: "stalled-handshakes",
  does: "keeps 480 connections after half of a TLS greeting, and greets without a pause on 240 more",
  requirement: "R13, section 7, item 10",
  seconds: 13,
  tls: true,
  run: async ({ addresses, connect, isOver, pause }) => {
    const greeting = await firstWords();
    let stalled = 0;
    let cut = 0;
    let greeted = 0;
    let longest = 0;
    const stall = async (address: string): Promise<void> => {
      while (!isOver()) {
        const socket = await connect(address);
        const since = performance.now();
        stalled += 1;
        socket.resume().write(greeting.subarray(0, greeting.length / 2));
        while (!socket.destroyed && !isOver()) await pause(200);
        longest = Math.max(longest, performance.now() - since);
        if (socket.destroyed) cut += 1;
        await pause(200);
      }
    };
    const greet = async (address: string): Promise<void> => {
      while (!isOver()) {
        const socket = await connect(address);
        socket.write(greeting);
        await Promise.race([once(socket, "data"), once(socket, "close"), pause(2_000)]).catch(() => undefined);
        greeted += 1;
        socket.destroy();
        await pause(20);
      }
    };
    await Promise.all(
      addresses.flatMap((address) =>
        Array.from({ length: each }, (_, n) => (n < silentEach ? stall(address) : greet(address))),
      ),
    );
    return {
      saw: `${stalled} stalled, ${cut} of them cut; ${greeted} greetings; the longest stood for ${Math.round(longest / 1000)} s`,
      fault: longest > longestMs ? `a handshake stood for ${Math.round(longest)} ms` : undefined,
    };
  },
};
