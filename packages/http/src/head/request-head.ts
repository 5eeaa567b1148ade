import { AppError } from "@postern/core";
import type { Telemetry } from "@postern/core/ports";
import type { QueryPairs } from "@postern/rest";
import type { HttpRequest } from "../http-request.ts";
import { headerOf, occurrences } from "./headers.ts";
import { knownMethods, notImplemented } from "./methods.ts";

/** Path and query of a request, also when it came in absolute form (`GET http://host/path`). */
export const targetOf = (text: string): string => {
  if (text.startsWith("/") || text === "*") return text;
  const target = text.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i, "");
  return target.startsWith("/") ? target : `/${target}`;
};

/** The path of a target as it was sent. */
export const pathOf = (target: string): string => {
  const end = target.indexOf("?");
  return end === -1 ? target : target.slice(0, end);
};

const encoded = /%([0-9a-f]{2})/gi;
const malformed = /%(?![0-9a-f]{2})/i;

/** Characters that mean the same with and without percent-encoding (RFC 3986, section 2.3). */
const unreserved = /[A-Za-z0-9._~-]/;

/**
 * A path with its unreserved characters as they are: `/api/%70osts` is `/api/posts` (RFC 3986,
 * section 6.2.2.2). It is read once, so `%2570` stays as it is, and so do reserved characters such
 * as `%2F`. A malformed path stays as it was sent. Everything that looks at a path, such as routes,
 * limits and the log, looks at this one.
 */
export const unencodedPath = (path: string): string =>
  !path.includes("%") || malformed.test(path)
    ? path
    : path.replaceAll(encoded, (whole, digits: string) => {
        const character = String.fromCharCode(Number.parseInt(digits, 16));
        return unreserved.test(character) ? character : whole;
      });

/**
 * Segments of unreserved characters (RFC 3986). None is `.` or `..`, and no slash stands at the
 * end.
 */
const wellFormed = /^(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._~-]+)+$/;

/** Whether a text is a base path: `/postern`, `/tools/postern`; empty for none. */
export const isBasePath = (text: string): boolean => text === "" || wellFormed.test(text);

/**
 * The part of a path below the root: `/` for the root itself, `undefined` for a path outside of it.
 */
export const pathBelow = (root: string, path: string): string | undefined => {
  if (root === "") return path;
  if (!path.startsWith(root)) return undefined;
  if (path.length === root.length) return "/";
  return path[root.length] === "/" ? path.slice(root.length) : undefined;
};

/** Paths of the API, below the root. */
export const apiPath = /^\/api(?:\/|$)/;

export const healthPaths = { live: "/health/live", ready: "/health/ready" };

/** A name, an IPv4 address or an IPv6 address in brackets, and a port. */
const authority = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;

/** The authority of a request line in absolute form: `GET http://host/path`. */
const absoluteForm = /^[a-z][a-z0-9+.-]*:\/\/([^/?]*)/i;

/** nginx and Apache pass on as much, and RFC 9110 (section 4.1) asks for 8,000. */
export const mostUrlBytes = 8 * 1024;

export const uriTooLong = (): AppError =>
  new AppError("uri_too_long", { detail: `The URL is longer than ${mostUrlBytes} bytes.` });

/**
 * Checks the request line and `Host` before anything is looked up.
 * @throws AppError `uri_too_long`, `bad_request`; `not_implemented` for a method that no path here has.
 */
export const checkTarget = ({
  request,
  fullPath,
}: {
  readonly request: HttpRequest;
  readonly fullPath: string;
}): void => {
  const { target } = request;
  if ((target.startsWith("/") ? target : targetOf(target)).length > mostUrlBytes) throw uriTooLong();
  if (!target.startsWith("/")) {
    const named = absoluteForm.exec(target)?.[1];
    if (named !== undefined && !authority.test(named)) {
      throw new AppError("bad_request", { detail: "The URL of the request line is not valid." });
    }
  }
  const host = headerOf(request, "host");
  // HTTP/1.0 has no Host, and the simplest health checks still speak it.
  const hostNeeded = request.httpVersion !== "1.0";
  if (host === undefined ? hostNeeded : !authority.test(host) || occurrences(request, "host") > 1) {
    throw new AppError("bad_request", { detail: "Send exactly one valid Host header." });
  }
  if (fullPath.includes("%") && !isPercentEncoded(fullPath)) {
    throw new AppError("bad_request", { detail: "The path is not valid percent-encoded UTF-8." });
  }
  if (!knownMethods.includes(request.method)) throw notImplemented();
};

const isPercentEncoded = (text: string): boolean => {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
};

/**
 * Parses the query. It keeps order and repeats. A value with an encoded comma also comes as the
 * pieces between its other commas. `URLSearchParams` would turn bytes that are not UTF-8 into
 * U+FFFD and pass them on. An AppError `invalid_parameter` for a query that cannot be decoded.
 */
export const parseQuery = (search: string): QueryPairs | AppError => {
  if (search === "") return [];
  try {
    return search
      .split("&")
      .filter((part) => part !== "")
      .map((part) => {
        const end = part.indexOf("=");
        if (end === -1) return [decode(part), ""];
        const [name, value] = [decode(part.slice(0, end)), part.slice(end + 1)];
        return /%2c/i.test(value) ? [name, decode(value), value.split(",").map(decode)] : [name, decode(value)];
      });
  } catch (cause) {
    return new AppError("invalid_parameter", { detail: "The query is not valid percent-encoded UTF-8.", cause });
  }
};

const decode = (text: string): string => decodeURIComponent(text.replaceAll("+", " "));

const ipv4 = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/;
/**
 * This is strict enough to exclude names and forged texts, because your own proxy wrote the entry.
 */
const ipv6 = /^(?=.*:.*:)[0-9a-f:]{2,39}(?:(?:\d{1,3}\.){3}\d{1,3})?$/i;

/**
 * The address of a caller for which your proxies report none. No range of addresses contains it.
 */
export const unknownAddress = "unknown";

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
 * Warns once when a framework mounts Postern below the path that is its base path, too: every path of
 * Postern then begins with both, which nobody asks for.
 */
export const mountWarning = ({
  telemetry,
  basePath,
}: {
  readonly telemetry: Pick<Telemetry, "log">;
  readonly basePath: string;
}) => {
  let warned = basePath === "";
  return (mountPath: string): void => {
    if (warned || !mountPath.endsWith(basePath)) return;
    warned = true;
    telemetry.log("warn", "requests do not reach Postern: its path is given twice", {
      mounted_below: mountPath,
      base_path: basePath,
      hint: `every path begins with ${mountPath}${basePath} now; leave out basePath, or mount Postern without a path`,
    });
  };
};

/**
 * Returns a function that warns once when a proxy that was not declared hides the addresses of
 * callers. Many proxies add no header unless they are told to, so much of the traffic coming from
 * one private address counts as well.
 */
export const proxyWarning = ({
  telemetry,
  trustProxy,
}: {
  readonly telemetry: Pick<Telemetry, "log">;
  readonly trustProxy: number;
}) => {
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

/** A caller's own `X-Request-Id` that is fit for logs and headers. */
export const fitRequestId = /^[A-Za-z0-9._-]{8,128}$/;
