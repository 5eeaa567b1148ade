/**
 * A host of `examples/hosts` in a process of its own, which stops as its page says:
 * `node … stop-host.ts "Express 5"`. It prints its port.
 */
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import { openPostern, type Postern } from "postern";
import { expressHost } from "../hosts/express.ts";
import { fastifyHost } from "../hosts/fastify.ts";
import { honoHost } from "../hosts/hono.ts";
import { koaHost } from "../hosts/koa.ts";
import { nestHost } from "../hosts/nest.ts";
import { nodeHost } from "../hosts/node.ts";
import { serve } from "../hosts/serve.ts";

const [name = "", database, email = "", password = ""] = process.argv.slice(2);

const served = async (server: Server, postern: Postern): Promise<Server> => {
  serve(server, postern);
  await once(server, "listening");
  return server;
};

/** Each host, with the base path that its Postern is opened with. */
const hosts: Readonly<Record<string, readonly [string, (postern: Postern) => Promise<Server>]>> = {
  "node:http": ["/postern", (postern) => served(nodeHost(postern), postern)],
  "Express 5": ["", (postern) => served(createServer(expressHost(postern)), postern)],
  "Koa 3": ["/postern", (postern) => served(createServer(koaHost(postern).callback()), postern)],
  Hono: [
    "/postern",
    // Without options it makes a server of `node:http`.
    (postern) => served(createAdaptorServer({ fetch: honoHost(postern).fetch }) as Server, postern),
  ],
  "Fastify 5": [
    "/postern",
    async (postern) => {
      const host = fastifyHost(postern);
      await host.listen({ port: 0, host: "127.0.0.1" });
      return host.server;
    },
  ],
  "NestJS 12": [
    "",
    async (postern) => {
      const host = await nestHost(postern);
      await host.listen(0, "127.0.0.1");
      return host.getHttpServer();
    },
  ],
};

const [basePath, start] = hosts[name] ?? [];
if (basePath === undefined || start === undefined || database === undefined) throw new Error(`no host "${name}"`);
const postern = await openPostern({ database, basePath, admin: { email, password } });
const server = await start(postern);
// The address of a server that listens on a port has this form.
process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
