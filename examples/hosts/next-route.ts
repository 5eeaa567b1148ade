import type { HttpApp } from "@postern/http";
import { fetchHandler } from "@postern/http/fetch";

/**
 * The exports of a Next.js route handler, `app/postern/[[...path]]/route.ts`. Vercel and most
 * proxies write the caller's address into `x-forwarded-for`. Trust it only behind a proxy of yours,
 * and say how many there are.
 */
export const nextRoute = (app: HttpApp, proxies = 1) => {
  const postern = fetchHandler(app, { basePath: "/postern", trustProxy: proxies });
  const handler = (request: Request): Promise<Response> => postern(request);
  return {
    GET: handler,
    HEAD: handler,
    POST: handler,
    PUT: handler,
    PATCH: handler,
    DELETE: handler,
    OPTIONS: handler,
  };
};
