import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";

/**
 * The caller's network address, for limits. Each proxy of ours appends the address it was called from, so with `trustProxy` proxies only that many
 * entries from the right are true; whatever stands further left was written by the caller.
 */
export const clientAddress = (req: IncomingMessage, trustProxy: number): string => {
  const socketAddress = withoutMapping(req.socket.remoteAddress ?? "unknown");
  if (trustProxy === 0) return socketAddress;
  // Node joins repeats of this header with a comma, in order.
  const forwarded = String(req.headers["x-forwarded-for"] ?? "").split(",");
  const address = withoutMapping(forwarded.at(-trustProxy)?.trim() ?? "");
  return isIP(address) === 0 ? socketAddress : address;
};

/** An IPv4 address on a socket of both families looks like `::ffff:192.0.2.1`. */
const withoutMapping = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, "");
