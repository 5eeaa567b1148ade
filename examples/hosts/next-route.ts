import type { Postern } from "postern";

/**
 * The exports of a Next.js route handler, `app/postern/[[...path]]/route.ts`. Open Postern with
 * `basePath: "/postern"`. Vercel and most proxies write the caller's address into
 * `x-forwarded-for`: say with `trustProxy` how many of your own proxies stand in front.
 */
export const nextRoute = (postern: Postern) => {
  const handler = (request: Request): Promise<Response> => postern.fetch(request);
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
