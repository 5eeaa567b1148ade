import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";

/**
 * A port on which nobody listened a moment ago, for a server that must know its port before it
 * starts or comes back to it.
 */
export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  // A listener on a port has this kind of address.
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
};
