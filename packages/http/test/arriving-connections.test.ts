import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { expect, test } from "vitest";
import { createArrivingConnections } from "../src/node/arriving-connections.ts";

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Connections to a server that is not there, on a clock that stands still unless told. */
const scene = () => {
  let nowMs = 0;
  const server = {} as Server & { pauseOnConnect?: boolean };
  const arriving = createArrivingConnections(server, () => nowMs);
  const begun: string[] = [];
  const resumed: string[] = [];
  const arrive = (network: string, socket: { destroyed: boolean } = { destroyed: false }): void => {
    const name = `${network}${begun.length}`;
    const stub = { ...socket, resume: () => resumed.push(name) } as Pick<Socket, "destroyed" | "resume"> as Socket;
    Object.defineProperty(stub, "destroyed", { get: () => socket.destroyed });
    arriving.arrive(network, stub, () => {
      begun.push(network);
      nowMs += 0.4;
    });
  };
  return {
    server,
    begun,
    resumed,
    arrive,
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
};

test("a connection that comes alone begins at once, and nothing is paused afterwards", async () => {
  const { server, begun, arrive } = scene();
  arrive("a");
  expect(begun).toEqual(["a"]);
  await turn();
  await turn();
  expect(server.pauseOnConnect).toBe(false);
  arrive("a");
  expect(begun).toEqual(["a", "a"]);
});

test("of a burst, one begins every millisecond, and the networks take turns", async () => {
  const { server, begun, resumed, arrive, pass } = scene();
  for (let n = 0; n < 6; n += 1) {
    arrive("greedy");
    await turn();
  }
  expect(server.pauseOnConnect).toBe(true);
  // 0.4 ms have passed, all of them by the first one.
  expect(begun).toEqual(["greedy"]);
  for (const network of ["modest", "greedy", "greedy"]) {
    pass(1);
    arrive(network);
    await turn();
  }
  expect(begun.slice(0, 4).toSorted()).toEqual(["greedy", "greedy", "greedy", "modest"]);
  expect(resumed).toHaveLength(3);
});

test("when no more come, the others begin, for 1 ms in each turn", async () => {
  const { server, begun, arrive } = scene();
  for (let n = 0; n < 9; n += 1) arrive("a");
  await turn();
  expect(begun).toHaveLength(1);
  await turn();
  // Each takes 0.4 ms.
  expect(begun).toHaveLength(4);
  for (let n = 0; n < 4; n += 1) await turn();
  expect(begun).toHaveLength(9);
  expect(server.pauseOnConnect).toBe(false);
});

test("a connection that is closed while it waits does not begin", async () => {
  const { begun, arrive } = scene();
  arrive("a");
  const closed = { destroyed: false };
  arrive("b", closed);
  arrive("c");
  closed.destroyed = true;
  for (let n = 0; n < 4; n += 1) await turn();
  expect(begun).toEqual(["a", "c"]);
});

test("every request of a real burst is answered", async () => {
  const server = createServer((_req, res) => res.end("yes"));
  const arriving = createArrivingConnections(server);
  const [own] = server.listeners("connection");
  server.removeAllListeners("connection");
  server.on("connection", (socket: Socket) => arriving.arrive("a", socket, () => own?.call(server, socket)));
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const answers = await Promise.all(
    Array.from({ length: 60 }, async () => {
      const socket = connect(port, "127.0.0.1");
      socket.write("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
      let text = "";
      for await (const piece of socket) text += String(piece);
      return text.endsWith("yes\r\n0\r\n\r\n") || text.endsWith("yes");
    }),
  );
  expect(answers).toEqual(Array(60).fill(true));
  await new Promise((resolve) => server.close(resolve));
});
