import { createServer, type Server } from "node:http";
import type { Postern } from "postern";

/**
 * Postern in a server of `node:http`; every other path is yours. Open Postern with
 * `basePath: "/postern"`.
 */
export const nodeHost = (postern: Postern): Server =>
  createServer((request, response) => {
    void postern.listener(request, response, () => response.end("Your own page."));
  });
