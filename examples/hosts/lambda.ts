import { Hono } from "hono";
import { getConnInfo, handle } from "hono/aws-lambda";
import type { Postern } from "postern";

/**
 * Postern as a Lambda function behind API Gateway or a function URL. Open it with `basePath:
 * "/postern"`, PostgreSQL or MySQL, and `workers: false`: a function that has answered is frozen, so
 * another process runs the jobs.
 */
export const lambdaHandler = (postern: Postern) => {
  const host = new Hono().all("/postern/*", (context) => {
    const { address } = getConnInfo(context).remote;
    return postern.fetch(context.req.raw, address === undefined ? {} : { address });
  });
  host.all("*", (context) => context.text("Your own page."));
  return handle(host);
};
