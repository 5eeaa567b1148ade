import type { RequestListener } from "node:http";
import { AppError } from "@postern/core";
import { createGateway, type Gateway, type HttpApp, type HttpOptions } from "@postern/http";
import { answerExchange, gatewayListener, openExchange } from "@postern/http/node";
import { koaListener } from "@postern/http-koa";
import type { ServerConfig } from "./config.ts";
import type { PosternConfig } from "./config-file.ts";

/** The server's HTTP, not listening yet. */
export interface HttpComposition {
  readonly gateway: Gateway;
  readonly listener: RequestListener;
}

type Measured = NonNullable<PosternConfig["http"]> & Pick<HttpOptions, "telemetry" | "eventLoopDelayMs">;

/** The gateway that the configuration describes. */
export const openGateway = (app: HttpApp, config: ServerConfig, options: Measured): Gateway => {
  const { defaultVersion, basePath, jsonLimitBytes, webhookLimitBytes, trustProxy, corsOrigins, corsHeaders } = config;
  return createGateway(app, {
    ...options,
    defaultVersion,
    basePath,
    jsonLimitBytes,
    webhookLimitBytes,
    trustProxy,
    corsOrigins,
    corsHeaders,
    securityContacts: config.securityContacts,
    maxEventLoopDelayMs: config.maxEventLoopDelayMs,
    ...(config.compression === "off" ? { compressor: "off" } : {}),
    ...(config.publicUrl === undefined ? {} : { publicUrl: config.publicUrl }),
  });
};

const starting = (): Promise<never> =>
  Promise.reject(new AppError("overloaded", { detail: "The server is starting.", headers: { "retry-after": "1" } }));

/**
 * Composes HTTP. Webhooks take the listener on `node:http`, because it is faster; everything else
 * takes Koa. Both share one gateway and so all limits. While `isStarted` says no, liveness alone is
 * answered as usual: readiness says no, and every other request is refused with `overloaded`.
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
