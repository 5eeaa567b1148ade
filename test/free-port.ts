import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";

/** The ports of this process. A server that is down for a moment comes back to its own. */
const given = new Set<number>();

/**
 * A port on which nobody listened a moment ago, for a server that must know its port before it
 * starts or comes back to it. It is given once in each process.
 */
export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  // A listener on a port has this kind of address.
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  if (given.has(port)) return freePort();
  given.add(port);
  return port;
};
