import type { HttpRequest } from "../http-request.ts";
import type { HttpSettings } from "../options.ts";
import { headerOf } from "./headers.ts";

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
  if (forwarded === undefined) {
    return request.address.startsWith("::") ? withoutMapping(request.address) : request.address;
  }
  const entry = forwarded.split(",").at(-trustProxy)?.trim() ?? "";
  const address = withoutMapping(withoutPort(entry));
  return ipv4.test(address) || ipv6.test(address) ? address : unknownAddress;
};

/** On a socket of both families an IPv4 address looks like `::ffff:192.0.2.1`. */
const withoutMapping = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, "");

/**
 * Loopback, private and link-local addresses, which a proxy of your own has (RFC 1918, RFC 4193).
 */
const isPrivate = (address: string): boolean =>
  /^(?:127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|169\.254\.|::1$|f[cd][0-9a-f]{2}:|fe80:)/i.test(address);

/** So many requests of one private address in a minute are those of a proxy, or of a load test. */
const manyRequests = 1_000;
const minuteMs = 60_000;

/** What only a proxy adds. */
const proxyHeaders = ["x-forwarded-for", "forwarded", "via", "x-real-ip"];

/**
 * Returns a function that warns once when a proxy that was not declared hides the addresses of
 * callers. Many proxies add no header unless they are told to, so much of the traffic coming from
 * one private address counts as well.
 */
export const proxyWarning = ({ telemetry, trustProxy }: Pick<HttpSettings, "telemetry" | "trustProxy">) => {
  let warned = trustProxy !== 0;
  /** The address that most of the requests of this minute come from, if they come from one. */
  let usual = "";
  /** How many more requests of this minute are from that address than from all others. */
  let lead = 0;
  let untilMs = 0;

  const warn = (address: string, message: string): void => {
    if (warned || !isPrivate(address)) return;
    warned = true;
    telemetry.log("warn", message, {
      address,
      hint: "if a proxy of your own is in front, have it send X-Forwarded-For, and set POSTERN_TRUST_PROXY (trustProxy) to the number of your proxies",
    });
  };

  return ({ headers }: Pick<HttpRequest, "headers">, address: string): void => {
    if (warned) return;
    for (const name of proxyHeaders) {
      if (headers[name] === undefined) continue;
      warn(address, "requests come through a proxy, so all callers share its address and its limits");
      return;
    }
    const nowMs = performance.now();
    if (nowMs >= untilMs) {
      untilMs = nowMs + minuteMs;
      lead = 0;
    }
    if (lead === 0) usual = address;
    lead += usual === address ? 1 : -1;
    if (usual === address && lead >= manyRequests) {
      warn(address, "many requests come from one private address; behind a proxy, all callers share its limits");
    }
  };
};
