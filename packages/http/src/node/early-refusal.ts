import type { IncomingMessage, ServerResponse } from "node:http";
import type { Gateway } from "../gateway.ts";
import { hasBody } from "../read-bytes.ts";
import { noteAnswered } from "./connections.ts";
import { turns } from "./fair-turns.ts";
import { waitingBefore } from "./node-exchange.ts";
import { nodeRequest } from "./node-request.ts";

/**
 * Refuses a request of the API for which there is no room, before a framework or anything else sees
 * it. Returns true if it refused. Under overload a refusal must cost only a small part of what an
 * answer costs; otherwise refusals would displace answers. The connection stays open. A request
 * with a body takes the ordinary way, which decides what happens to the bytes.
 */
export const refuseEarly = (gateway: Gateway, req: IncomingMessage, res: ServerResponse): boolean => {
  if (!gateway.overload.isTight(turns.wantSlot) || hasBody(req)) return false;
  const exchange = gateway.open(nodeRequest(req, res));
  const { network } = exchange;
  const refused = gateway.refuseEarly(exchange, waitingBefore(network));
  if (refused === undefined) return false;
  noteAnswered(req.socket);
  res.writeHead(refused.status, refused.headers);
  res.end(req.method === "HEAD" ? undefined : refused.body);
  return true;
};
