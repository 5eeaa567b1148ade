import type { HttpRequest } from "./http-request.ts";
import { headerOf } from "./raw-headers.ts";

const ipv4 = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/;
/** Close enough to keep names and forged texts out; a proxy of yours wrote the entry. */
const ipv6 = /^(?=.*:.*:)[0-9a-f:]{2,39}(?:(?:\d{1,3}\.){3}\d{1,3})?$/i;

/**
 * The caller's network address, for limits and the log. Each of your proxies appends the address that
 * called it, so with `trustProxy` proxies only that many entries from the right are true. The caller can
 * write everything further left itself.
 */
export const clientAddress = (request: HttpRequest, trustProxy: number): string => {
  const socketAddress = withoutMapping(request.address);
  if (trustProxy === 0) return socketAddress;
  const forwarded = (headerOf(request, "x-forwarded-for") ?? "").split(",");
  const address = withoutMapping(forwarded.at(-trustProxy)?.trim() ?? "");
  return ipv4.test(address) || ipv6.test(address) ? address : socketAddress;
};

/** On a socket of both families an IPv4 address looks like `::ffff:192.0.2.1`. */
const withoutMapping = (address: string): string =>
  address.startsWith("::") ? address.replace(/^::ffff:(?=\d+\.)/i, "") : address;
