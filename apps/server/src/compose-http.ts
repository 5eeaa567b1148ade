import type { RequestListener } from "node:http";
import { createGateway, type Gateway, type HttpApp, type HttpOptions } from "@postern/http";
import { gatewayListener } from "@postern/http/node";
import { koaListener } from "@postern/http-koa";
import type { ServerConfig } from "./config.ts";
import type { HttpLimits } from "./config-file.ts";

/** The way of requests into the server, not listening yet. */
export interface HttpComposition {
  readonly gateway: Gateway;
  readonly listener: RequestListener;
}

/**
 * Composes HTTP: webhooks take the listener of `node:http`, because a receiver is judged by its speed, and
 * everything else takes Koa. Both share one gateway and with it all limits.
 * @throws TypeError for options that cannot work.
 */
export const composeHttp = (
  app: HttpApp,
  config: ServerConfig,
  options: HttpLimits & Pick<HttpOptions, "telemetry" | "eventLoopDelayMs">,
): HttpComposition => {
  const gateway = createGateway(app, {
    ...options,
    defaultVersion: config.defaultVersion,
    basePath: config.basePath,
    jsonLimitBytes: config.bodyLimitBytes,
    webhookLimitBytes: config.webhookBodyLimitBytes,
    trustProxy: config.trustProxy,
    corsOrigins: config.corsOrigins,
    securityContacts: config.securityContacts,
    maxEventLoopDelayMs: config.maxEventLoopDelayMs,
    ...(config.publicUrl === undefined ? {} : { publicUrl: config.publicUrl }),
  });
  const webhooks = gatewayListener(gateway);
  const rest = koaListener(gateway);
  return {
    gateway,
    listener: (req, res) => (gateway.isWebhook(req.url ?? "/") ? webhooks(req, res) : rest(req, res)),
  };
};
