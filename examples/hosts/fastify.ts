import Fastify, { type FastifyInstance } from "fastify";
import type { Postern } from "postern";

/**
 * Postern in a Fastify 5 application: the hook runs before its body parsers. Open Postern with
 * `basePath: "/postern"`.
 */
export const fastifyHost = (postern: Postern): FastifyInstance => {
  const host = Fastify();
  host.addHook("onRequest", (request, reply, done) => {
    void postern.listener(request.raw, reply.raw, done);
  });
  host.get("/*", () => "Your own page.");
  host.addHook("preClose", () => postern.stop());
  process.once("SIGTERM", () => void host.close());
  return host;
};
