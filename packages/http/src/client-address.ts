import type { HttpRequest } from "./http-request.ts";
import { headerOf } from "./raw-headers.ts";

const ipv4 = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/;
/**
 * This is strict enough to exclude names and forged texts, because your own proxy wrote the entry.
 */
const ipv6 = /^(?=.*:.*:)[0-9a-f:]{2,39}(?:(?:\d{1,3}\.){3}\d{1,3})?$/i;

/**
 * The address of a caller for which your proxies report none. No range of addresses contains it.
 */
const unknownAddress = "unknown";

/** Some gateways add the port: `192.0.2.1:50123`, `[2001:db8::1]:50123`. */
const withoutPort = (entry: string): string =>
  entry.replace(/^((?:\d{1,3}\.){3}\d{1,3}):\d{1,5}$/, "$1").replace(/^\[([0-9a-f:.]+)\](?::\d{1,5})?$/i, "$1");

/**
 * The caller's network address, for limits, the log and `POSTERN_ADMIN_ADDRESSES`. Each of your
 * proxies appends the address that called it, so with `trustProxy` proxies only that many entries
 * from the right are true. The caller can write everything further left itself. A request without
 * this field counts as coming from the address that connects. If the field has too few entries, or
 * no address where one must be, the caller is `unknown`: the address of the proxy would give a
 * stranger the rights of your own network.
 */
export const clientAddress = (request: Pick<HttpRequest, "address" | "headers">, trustProxy: number): string => {
  const forwarded = trustProxy === 0 ? undefined : headerOf(request, "x-forwarded-for");
  if (forwarded === undefined) return withoutMapping(request.address);
  const entry = forwarded.split(",").at(-trustProxy)?.trim() ?? "";
  const address = withoutMapping(withoutPort(entry));
  return ipv4.test(address) || ipv6.test(address) ? address : unknownAddress;
};

/** On a socket of both families an IPv4 address looks like `::ffff:192.0.2.1`. */
const withoutMapping = (address: string): string =>
  address.startsWith("::") ? address.replace(/^::ffff:(?=\d+\.)/i, "") : address;

/**
 * Loopback, private and link-local addresses, which a proxy of your own has (RFC 1918, RFC 4193).
 */
export const isPrivate = (address: string): boolean =>
  /^(?:127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|169\.254\.|::1$|f[cd][0-9a-f]{2}:|fe80:)/i.test(address);
