import type { HttpRequest } from "./http-request.ts";
import { headerOf } from "./raw-headers.ts";

const ipv4 = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/;
/** Close enough to keep names and forged texts out; a proxy of yours wrote the entry. */
const ipv6 = /^(?=.*:.*:)[0-9a-f:]{2,39}(?:(?:\d{1,3}\.){3}\d{1,3})?$/i;

/**
 * The caller's network address, for limits and the log. Each of your proxies appends the address
 * that called it, so with `trustProxy` proxies only that many entries from the right are true. The
 * caller can write everything further left itself.
 */
export const clientAddress = (request: Pick<HttpRequest, "address" | "headers">, trustProxy: number): string => {
  const socketAddress = withoutMapping(request.address);
  if (trustProxy === 0) return socketAddress;
  const forwarded = (headerOf(request, "x-forwarded-for") ?? "").split(",");
  const address = withoutMapping(forwarded.at(-trustProxy)?.trim() ?? "");
  return ipv4.test(address) || ipv6.test(address) ? address : socketAddress;
};

/** On a socket of both families an IPv4 address looks like `::ffff:192.0.2.1`. */
const withoutMapping = (address: string): string =>
  address.startsWith("::") ? address.replace(/^::ffff:(?=\d+\.)/i, "") : address;

/** The first half of an IPv6 address; the holder of a network chooses the rest. */
const networkGroups = 4;

/**
 * The network that a share belongs to: an IPv4 address itself, and of an IPv6 address its /64,
 * because everybody who has one of its addresses has all of them (RFC 6177, section 2).
 */
export const networkOf = (address: string): string => {
  if (!address.includes(":")) return address;
  const [text = ""] = address.split("%", 1);
  const [head = [], tail = []] = text.split("::").map((part) => (part === "" ? [] : part.split(":")));
  // An IPv4 address at the end stands for two groups.
  const written = head.length + tail.length + (text.includes(".") ? 1 : 0);
  const groups = [...head, ...Array.from({ length: Math.max(0, 8 - written) }, () => "0"), ...tail];
  const network = groups.slice(0, networkGroups).map((group) => Number.parseInt(group, 16).toString(16));
  return `${network.join(":")}::/64`;
};

/**
 * Loopback, private and link-local addresses, which a proxy of your own has (RFC 1918, RFC 4193).
 */
export const isPrivate = (address: string): boolean =>
  /^(?:127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|169\.254\.|::1$|f[cd][0-9a-f]{2}:|fe80:)/i.test(address);
