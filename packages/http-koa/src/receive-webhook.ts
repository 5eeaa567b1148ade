import { type Answer, AppError } from "@postern/core";
import { checkTarget } from "./check-target.ts";
import type { Exchange } from "./exchange.ts";
import type { Gateway } from "./gateway.ts";
import { refuseCodings } from "./media-type.ts";
import { answerOptions, checkMethod, methodNotAllowed } from "./methods.ts";
import { faithfulHeaders } from "./raw-headers.ts";
import { readBytes } from "./read-bytes.ts";
import type { WebhookPath } from "./webhook-path.ts";

const nothing = new Uint8Array();

/**
 * The way of a webhook to the inbox: as few steps as there can be, and nothing that looks into the bytes.
 * @throws AppError for whatever stands in the way; CallerGone.
 */
export const receiveWebhook = async (gateway: Gateway, exchange: Exchange, place: WebhookPath): Promise<Answer> => {
  exchange.version = place.version;
  exchange.route = place.route.template;
  checkTarget(exchange);
  checkMethod(exchange.method);
  if (exchange.method !== "POST") return answerHandshake(gateway, exchange, place);
  gateway.overload.admitWebhook();
  refuseCodings(exchange.req);
  const { budget, settings } = gateway;
  const body = await readBytes(exchange, { limit: settings.webhookLimitBytes, budget });
  try {
    return await receive(gateway, exchange, place, body);
  } finally {
    budget.release(body.length);
  }
};

/**
 * Some senders ask before they send: with a GET (or HEAD) that carries a challenge, or with the OPTIONS of CloudEvents, known by its header. What is no
 * handshake core refuses.
 */
const answerHandshake = (gateway: Gateway, exchange: Exchange, place: WebhookPath): Answer | Promise<Answer> => {
  const { methods } = place.route;
  if (!methods.includes(exchange.method)) throw methodNotAllowed(methods);
  if (exchange.method === "OPTIONS" && exchange.req.headers["webhook-request-origin"] === undefined) {
    return answerOptions(methods);
  }
  return receive(gateway, exchange, place, nothing);
};

const receive = ({ app, settings }: Gateway, exchange: Exchange, place: WebhookPath, body: Uint8Array) =>
  app.receive({
    // `checkTarget` has seen that it decodes.
    provider: place.provider.includes("%") ? decodeURIComponent(place.provider) : place.provider,
    method: exchange.method,
    url: `${settings.publicOrigin ?? originOf(exchange)}${exchange.target}`,
    headers: faithfulHeaders(exchange.req),
    body,
    requestId: exchange.id,
  });

/** As the sender called it. The only place where `Host` is believed: a wrong one makes a signature over the URL fail, and no more. */
const originOf = ({ req }: Exchange): string => {
  const { host } = req.headers;
  if (host === undefined) throw new AppError("bad_request", { detail: "Send a Host header." });
  return `${"encrypted" in req.socket ? "https" : "http"}://${host}`;
};
