import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/**
 * Carries the bytes of one connection: from `client` to the database behind `upstream`, and back.
 */
export type Carry = (client: Socket, upstream: Socket) => void;

/**
 * A proxy of the database at `url` that a test can disturb. Both ends of a connection close
 * together.
 */
export const databaseProxy = async (url: string, carry: Carry): Promise<{ readonly url: string; close(): void }> => {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(target.port || 3306), target.hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
    }
    client.on("close", () => upstream.destroy());
    upstream.on("close", () => client.destroy());
    carry(client, upstream);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const through = new URL(url);
  through.hostname = "127.0.0.1";
  through.port = String((server.address() as AddressInfo).port);
  return {
    url: through.href,
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
};
