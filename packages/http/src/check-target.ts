import { AppError } from "@postern/core";
import type { ApiRequest } from "@postern/rest";
import { type Exchange, targetOf } from "./exchange.ts";
import { headerOf, occurrences } from "./raw-headers.ts";

/** A name, an IPv4 address or an IPv6 address in brackets, and a port. */
const authority = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;

/** The authority of a request line in absolute form: `GET http://host/path`. */
const absoluteForm = /^[a-z][a-z0-9+.-]*:\/\/([^/?]*)/i;

/**
 * Checks the request line and `Host` before anything is looked up.
 * @throws AppError `uri_too_long`, `bad_request`.
 */
export const checkTarget = ({ request, fullPath }: Exchange, urlLimitBytes: number): void => {
  if (targetOf(request.target).length > urlLimitBytes) {
    throw new AppError("uri_too_long", { detail: `The URL is longer than ${urlLimitBytes} bytes.` });
  }
  if (!request.target.startsWith("/")) {
    const named = absoluteForm.exec(request.target)?.[1];
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
 * U+FFFD and pass them on.
 * @throws AppError `invalid_parameter`.
 */
export const parseQuery = (search: string): ReturnType<ApiRequest["query"]> => {
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
    throw new AppError("invalid_parameter", { detail: "The query is not valid percent-encoded UTF-8.", cause });
  }
};

const decode = (text: string): string => decodeURIComponent(text.replaceAll("+", " "));
