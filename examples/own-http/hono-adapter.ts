import type { Gateway } from "@postern/http";
import { gatewayFetch } from "@postern/http/fetch";
import { type Context, Hono } from "hono";

/** A Hono application that holds Postern alone. `addressOf` says who calls: limits count by address. */
export const honoAdapter = (gateway: Gateway, addressOf: (context: Context) => string): Hono => {
  const answer = gatewayFetch(gateway);
  return new Hono().all("*", (context) => answer(context.req.raw, { address: addressOf(context) }));
};
