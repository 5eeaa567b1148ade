import type { HttpApp } from "@postern/http";
import { nodeListener } from "@postern/http/node";
import Fastify, { type FastifyInstance } from "fastify";

/** Postern below `/postern` of a Fastify 5 application: the hook runs before its body parsers. */
export const fastifyHost = (app: HttpApp): FastifyInstance => {
  const postern = nodeListener(app, { basePath: "/postern" });
  const host = Fastify();
  host.addHook("onRequest", (request, reply, done) => {
    void postern(request.raw, reply.raw, done);
  });
  host.get("/*", () => "Your own page.");
  return host;
};
