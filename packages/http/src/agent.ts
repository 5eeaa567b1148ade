import type { HttpRequest } from "./http-request.ts";
import { headerOf } from "./raw-headers.ts";

/** The first product of `User-Agent` (RFC 9110, section 10.1.5): `curl/8.5.0`. */
export const agentOf = (request: Pick<HttpRequest, "headers">): string =>
  /^[\x21-\x7e]{1,64}/.exec(headerOf(request, "user-agent") ?? "")?.[0] ?? "";
