import { AppError } from "@postern/core";
import type { Exchange } from "./exchange.ts";
import type { Gateway } from "./gateway.ts";
import type { Answer } from "./http-app.ts";
import { refuseCodings } from "./media-type.ts";
import { answerOptions, methodNotAllowed } from "./methods.ts";
import { faithfulHeaders, headerOf } from "./raw-headers.ts";
import { readBytes } from "./read-bytes.ts";
import type { ApiRoute } from "./routes.ts";

const nothing = new Uint8Array();

/**
 * Hands a webhook to the inbox, in as few steps as possible. Nothing here looks into the bytes.
 * @throws AppError for whatever stands in the way; CallerGone.
 */
export const receiveWebhook = async (gateway: Gateway, exchange: Exchange, route: ApiRoute): Promise<Answer> => {
  const { request } = exchange;
  if (request.method !== "POST") return answerHandshake(gateway, exchange, route);
  gateway.overload.admitWebhook();
  refuseCodings(request);
  const { budget, settings } = gateway;
  const body = await readBytes(request, { limit: settings.webhookLimitBytes, budget });
  try {
    return await receive(gateway, exchange, body);
  } finally {
    budget.release(body.length);
  }
};

/**
 * Some senders ask before they send: with a GET (or HEAD) that carries a challenge, or with the OPTIONS of
 * CloudEvents, known by its header. The app refuses a request that is no handshake.
 */
const answerHandshake = (gateway: Gateway, exchange: Exchange, { methods }: ApiRoute): Answer | Promise<Answer> => {
  const { method, headers } = exchange.request;
  if (!methods.includes(method)) throw methodNotAllowed(methods);
  if (method === "OPTIONS" && headers["webhook-request-origin"] === undefined) return answerOptions(methods);
  return receive(gateway, exchange, nothing);
};

const receive = ({ app, settings }: Gateway, exchange: Exchange, body: Uint8Array) =>
  app.receive({
    provider: providerIn(exchange.fullPath),
    method: exchange.request.method,
    url: `${settings.publicOrigin ?? originOf(exchange)}${exchange.target}`,
    headers: faithfulHeaders(exchange.request),
    body,
    requestId: exchange.id,
  });

/** The last segment of the path. Routers differ in whether they decode it, so it is taken from the path itself. */
const providerIn = (path: string): string => {
  const provider = path.slice(path.lastIndexOf("/") + 1);
  // `checkTarget` has seen that it decodes.
  return provider.includes("%") ? decodeURIComponent(provider) : provider;
};

/**
 * The origin as the sender called it. This is the only place where `Host` is believed: a wrong one makes
 * a signature over the URL fail, and no more.
 */
const originOf = ({ request }: Exchange): string => {
  const host = headerOf(request, "host");
  if (host === undefined) throw new AppError("bad_request", { detail: "Send a Host header." });
  return `${request.scheme}://${host}`;
};
