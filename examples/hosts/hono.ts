import { getConnInfo } from "@hono/node-server/conninfo";
import type { HttpApp } from "@postern/http";
import { fetchHandler } from "@postern/http/fetch";
import { Hono } from "hono";

/**
 * Postern below `/postern` of a Hono application, here on Node. On other runtimes you get the
 * caller's address in another way.
 */
export const honoHost = (app: HttpApp): Hono => {
  const postern = fetchHandler(app, { basePath: "/postern" });
  const host = new Hono();
  host.all("/postern/*", (context) => {
    const { address } = getConnInfo(context).remote;
    return postern(context.req.raw, address === undefined ? {} : { address });
  });
  host.all("*", (context) => context.text("Your own page."));
  return host;
};
