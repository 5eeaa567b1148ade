import type { RequestListener } from "node:http";
import { AppError } from "@postern/core";
import { createGateway, type Gateway, type HttpApp, type HttpOptions } from "@postern/http";
import { answerExchange, gatewayListener, openExchange } from "@postern/http/node";
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

const starting = (): Promise<never> =>
  Promise.reject(new AppError("overloaded", { detail: "The server is starting.", headers: { "retry-after": "1" } }));

/**
 * Composes HTTP. Webhooks take the listener on `node:http`, because it is faster; everything else
 * takes Koa. Both share one gateway and so all limits. While `isStarted` says no, liveness alone is
 * answered as usual: readiness says no, and every other request is refused with `overloaded`.
 * @throws ConfigError for options that cannot work.
 */
export const composeHttp = (
  app: HttpApp,
  config: ServerConfig,
  options: Measured,
  isStarted: () => boolean = () => true,
): HttpComposition => {
  const checkReady = (): Promise<void> => (isStarted() ? app.checkReady() : starting());
  const gateway = openGateway({ ...app, checkReady }, config, options);
  const webhooks = gatewayListener(gateway);
  const rest = koaListener(gateway);
  return {
    gateway,
    listener: (req, res) => {
      const nodeExchange = openExchange(gateway, req, res);
      const { kind } = nodeExchange.exchange;
      if (kind !== "health" && !isStarted()) return answerExchange(gateway, nodeExchange, undefined, starting);
      return kind === "webhook" ? webhooks(req, res) : rest(req, res);
    },
  };
};
