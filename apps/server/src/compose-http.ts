import type { RequestListener } from "node:http";
import { createGateway, type Gateway, type HttpApp, type HttpOptions } from "@postern/http";
import { gatewayListener, openExchange } from "@postern/http/node";
import { koaListener } from "@postern/http-koa";
import type { ServerConfig } from "./config.ts";
import { ConfigError } from "./config-error.ts";
import type { HttpLimits } from "./config-file.ts";

/** The server's HTTP, not listening yet. */
export interface HttpComposition {
  readonly gateway: Gateway;
  readonly listener: RequestListener;
}

type Measured = HttpLimits & Pick<HttpOptions, "telemetry" | "eventLoopDelayMs">;

/**
 * The gateway that the configuration describes.
 * @throws ConfigError for options that cannot work.
 */
export const openGateway = (app: HttpApp, config: ServerConfig, options: Measured): Gateway => {
  try {
    return createGateway(app, {
      ...options,
      defaultVersion: config.defaultVersion,
      basePath: config.basePath,
      jsonLimitBytes: config.bodyLimitBytes,
      webhookLimitBytes: config.webhookBodyLimitBytes,
      trustProxy: config.trustProxy,
      corsOrigins: config.corsOrigins,
      corsHeaders: config.corsHeaders,
      securityContacts: config.securityContacts,
      maxEventLoopDelayMs: config.maxEventLoopDelayMs,
      ...(config.compression === "off" ? { compressor: "off" } : {}),
      ...(config.publicUrl === undefined ? {} : { publicUrl: config.publicUrl }),
    });
  } catch (thrown) {
    // The message names the option, which is a member of `http` in the configuration file.
    throw thrown instanceof TypeError ? new ConfigError([`http: ${thrown.message}`]) : thrown;
  }
};

/**
 * Composes HTTP. Webhooks take the listener on `node:http`, because it is faster; everything else
 * takes Koa. Both share one gateway and so all limits.
 * @throws ConfigError for options that cannot work.
 */
export const composeHttp = (app: HttpApp, config: ServerConfig, options: Measured): HttpComposition => {
  const gateway = openGateway(app, config, options);
  const webhooks = gatewayListener(gateway);
  const rest = koaListener(gateway);
  return {
    gateway,
    listener: (req, res) =>
      openExchange(gateway, req, res).exchange.kind === "webhook" ? webhooks(req, res) : rest(req, res),
  };
};
