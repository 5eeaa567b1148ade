import { pathBelow } from "./base-path.ts";
import type { ApiVersion, LogFields } from "./http-app.ts";
import type { HttpRequest } from "./http-request.ts";
import { requestIdOf } from "./request-id.ts";

/** One request on the way to its answer: what is known of it, filled in as it is found out. */
export interface Exchange {
  readonly request: HttpRequest;
  readonly id: string;
  readonly startedMs: number;
  /** Path and query as they were sent, without scheme and authority. */
  readonly target: string;
  /** The path as it was sent, with everything that stands in front of Postern's own paths. */
  readonly fullPath: string;
  /** What stands in front of every path of Postern: the host's mount path and the base path. Often empty. */
  readonly root: string;
  /** The path below the root, which routes are found by; `undefined` for a path outside of it. */
  readonly path: string | undefined;
  /** The query without the `?`. */
  readonly search: string;
  /** The version that answers; set for everything below `/api`. */
  version: ApiVersion | undefined;
  /** The template of the path, for the log. The path itself holds ids and is never logged. */
  route: string;
  /** What the operation adds to the access log. */
  logged: LogFields | undefined;
}

/** Path and query of a request, also when it came in absolute form (`GET http://host/path`). */
export const targetOf = (text: string): string => {
  if (text.startsWith("/") || text === "*") return text;
  const target = text.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i, "");
  return target.startsWith("/") ? target : `/${target}`;
};

export const pathOf = (target: string): string => {
  const end = target.indexOf("?");
  return end === -1 ? target : target.slice(0, end);
};

export const openExchange = (
  { requestId, basePath }: { readonly requestId: () => string; readonly basePath: string },
  request: HttpRequest,
): Exchange => {
  const target = targetOf(request.target);
  const fullPath = pathOf(target);
  const root = request.mountPath + basePath;
  return {
    request,
    id: requestIdOf(request, requestId),
    startedMs: performance.now(),
    target,
    fullPath,
    root,
    path: pathBelow(root, fullPath),
    search: target.slice(fullPath.length + 1),
    version: undefined,
    route: "unmatched",
    logged: undefined,
  };
};
