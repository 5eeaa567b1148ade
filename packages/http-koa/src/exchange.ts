import type { IncomingMessage, ServerResponse } from "node:http";
import type { ApiVersion, LogFields } from "@postern/core";
import type { Rendered } from "./render.ts";
import { requestIdOf } from "./request-id.ts";

/** One request on the way to its answer: what is known of it, filled in as it is found out. */
export interface Exchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly id: string;
  readonly startedMs: number;
  readonly method: string;
  /** Path and query as they were sent, without scheme and authority. */
  readonly target: string;
  readonly path: string;
  /** What stands behind the `?`. */
  readonly search: string;
  /** What answers; set for everything below `/api`. */
  version: ApiVersion | undefined;
  /** The template of the path, for the log; never the path itself, which holds ids. */
  route: string;
  /** What the operation says of its answer. */
  logged: LogFields | undefined;
  /** What the server itself answered on the connection, when the rest of the request turned out malformed or too slow. */
  cutOff: Rendered | undefined;
}

/** Frameworks that mount a handler below a path shorten `url` and keep the whole in `originalUrl`; ours is always the whole. */
export const urlOf = (req: IncomingMessage & { readonly originalUrl?: string }, url = req.url ?? "/"): string =>
  req.originalUrl ?? url;

/** Path and query of a request, also when it came in absolute form (`GET http://host/path`). */
export const targetOf = (url: string): string => {
  if (url.startsWith("/") || url === "*") return url;
  const target = url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i, "");
  return target.startsWith("/") ? target : `/${target}`;
};

export const pathOf = (target: string): string => {
  const end = target.indexOf("?");
  return end === -1 ? target : target.slice(0, end);
};

export const openExchange = (
  makeId: () => string,
  url: string,
  req: IncomingMessage,
  res: ServerResponse,
): Exchange => {
  const target = targetOf(url);
  const path = pathOf(target);
  return {
    req,
    res,
    id: requestIdOf(req, makeId),
    startedMs: performance.now(),
    method: req.method ?? "",
    target,
    path,
    search: target.slice(path.length + 1),
    version: undefined,
    route: "unmatched",
    logged: undefined,
    cutOff: undefined,
  };
};
