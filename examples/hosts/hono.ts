import { getConnInfo } from "@hono/node-server/conninfo";
import { Hono } from "hono";
import type { Postern } from "postern";

/**
 * Postern in a Hono application, here on Node; on Bun, `getConnInfo` comes from `hono/bun`. Open
 * Postern with `basePath: "/postern"`.
 */
export const honoHost = (postern: Postern): Hono => {
  const host = new Hono();
  host.all("/postern/*", (context) => {
    const { address } = getConnInfo(context).remote;
    return postern.fetch(context.req.raw, address === undefined ? {} : { address });
  });
  host.all("*", (context) => context.text("Your own page."));
  return host;
};
