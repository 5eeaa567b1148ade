import { createServer, type Server } from "node:http";
import type { HttpApp } from "@postern/http";
import { nodeListener } from "@postern/http/node";

/** Postern below `/postern` of a server of `node:http`; every other path is yours. */
export const nodeHost = (app: HttpApp): Server => {
  const postern = nodeListener(app, { basePath: "/postern" });
  return createServer((request, response) => {
    void postern(request, response, () => response.end("Your own page."));
  });
};
