import { AppError } from "@postern/core";
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

/**
 * Checks a base path: `/postern`, `/tools/postern`; empty for none.
 * @throws TypeError that says what a base path looks like.
 */
export const basePathOf = (text: string): string => {
  if (text === "" || wellFormed.test(text)) return text;
  throw new TypeError(`basePath: "${text}" is not a path like /postern (a slash in front, none at the end)`);
};

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
