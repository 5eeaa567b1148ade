import { AppError } from "@postern/core";
import type { IncomingWebhook, WebhookAnswer } from "@postern/inbox";
import { longWork } from "../admission/turns.ts";
import { webhookSizeCheck } from "../body/check-webhook-size.ts";
import { type HeldBody, readBytes } from "../body/read-bytes.ts";
import { unpackGzip } from "../body/unpack-gzip.ts";
import type { Exchange } from "../exchange.ts";
import type { GatewayParts } from "../gateway-parts.ts";
import { announcedLength, faithfulHeaders, faithfulTrailers, headerOf } from "../head/headers.ts";
import { codingOf } from "../head/media-type.ts";
import { answerOptions } from "../head/methods.ts";
import { targetOf, unknownAddress } from "../head/request-head.ts";
import type { Answer } from "../http-app.ts";
import type { ApiRoute, Endpoint } from "../routes.ts";

const nothing = new Uint8Array();

/** To read a longer webhook takes milliseconds. */
const longBytes = 64 * 1024;

/** A longer webhook is read in several turns of the event loop. */
const veryLongBytes = 256 * 1024;

/** Real webhooks have some thousands of members and elements. To parse so many takes some 20 ms. */
const mostValues = 100_000;

/** The inbox knows the senders whose bodies may come in gzip. */
const codings = ["identity", "gzip"] as const;

/** Makes what hands a webhook to the inbox. Nothing here looks into the bytes. */
export const webhookAnswer =
  (parts: GatewayParts, route: ApiRoute): Endpoint["answer"] =>
  async (exchange) => {
    const { app, bodies, settings } = parts;
    const { request, network } = exchange;
    exchange.version = route.version;
    exchange.route = route.template;
    if (request.method !== "POST" && request.method !== "PUT") return answerWithoutBody(parts, exchange, route);

    const coding = codingOf(request, codings);
    const { closes: closedBefore } = exchange;
    const announced = announcedLength(request);
    const isShort = announced !== undefined && announced < 2 * mostValues;
    const look = isShort ? undefined : webhookSizeCheck(mostValues);
    // If the body does not come in whole, the connection cannot be used again.
    exchange.closes = true;
    const held = await readBytes(request, { limit: settings.webhookLimitBytes, network, bodies, look });
    exchange.closes = closedBefore;
    try {
      const webhook = webhookOf(parts, exchange, held.bytes);
      const answer = await (coding === "gzip"
        ? app.receive({ ...webhook, unpack: (take) => takeUnpacked(parts, exchange, webhook, held, take) })
        : webhook.body.length > longBytes
          ? inTurn(exchange, webhook, (turned) => app.receive(turned))
          : app.receive(webhook));
      return proved(parts, exchange, answer);
    } finally {
      held.release();
    }
  };

/** An address whose webhook was stored is a proven sender. What else was done with it proves nothing. */
const proved = ({ bodies }: GatewayParts, exchange: Exchange, answer: WebhookAnswer): Answer => {
  if (answer.done === "stored" || answer.done === "repeat") {
    bodies.prove(exchange.network);
    exchange.isCounted = true;
  }
  return answer;
};

/** Hands on a body in gzip, which waits for the memory that it needs unpacked before it has a turn. */
const takeUnpacked = async <Result>(
  parts: GatewayParts,
  exchange: Exchange,
  webhook: IncomingWebhook,
  held: HeldBody,
  take: (webhook: IncomingWebhook) => Promise<Result>,
): Promise<Result> => {
  const body = await unpackGzip(held.bytes, parts.settings.webhookLimitBytes, (bytes) => held.reserve(bytes));
  webhookSizeCheck(mostValues)(body, { length: body.length, whole: () => body });
  const unpacked = { ...webhook, body };
  return body.length > longBytes ? inTurn(exchange, unpacked, take) : take(unpacked);
};

/** Hands on a long webhook in its turn, because to read it takes milliseconds. */
const inTurn = <Result>(
  { network }: Exchange,
  webhook: IncomingWebhook,
  take: (webhook: IncomingWebhook) => Promise<Result>,
): Promise<Result> =>
  longWork.run(network, (pause) => take(webhook.body.length > veryLongBytes ? { ...webhook, pause } : webhook));

/**
 * Some senders deliver by GET, and some ask before they send: with a GET (or HEAD) that carries a
 * challenge, or with the OPTIONS of CloudEvents, known by its header. The app refuses what its sender
 * does not use, and names what it does.
 */
const answerWithoutBody = async (parts: GatewayParts, exchange: Exchange, { methods }: ApiRoute): Promise<Answer> => {
  const { method, headers } = exchange.request;
  if (method === "OPTIONS" && headers["webhook-request-origin"] === undefined) return answerOptions(methods);
  return proved(parts, exchange, await parts.app.receive(webhookOf(parts, exchange, nothing)));
};

const webhookOf = ({ settings, lines }: GatewayParts, exchange: Exchange, body: Uint8Array): IncomingWebhook => {
  const { request, fullPath } = exchange;
  // Routers differ in whether they decode the last segment, so it is taken from the path itself.
  const provider = fullPath.slice(fullPath.lastIndexOf("/") + 1);
  const { target } = request;
  // As the sender called it. This is the only place that trusts `Host`. A wrong one makes a signature
  // over the URL fail, and does nothing else.
  const host = headerOf(request, "host");
  if (host === undefined && settings.publicOrigin === undefined)
    throw new AppError("bad_request", { detail: "Send a Host header." });
  return {
    // `checkTarget` has checked that it decodes.
    provider: provider.includes("%") ? decodeURIComponent(provider) : provider,
    method: request.method,
    // As it was sent: some senders sign the URL.
    url:
      (settings.publicOrigin ?? `${request.scheme}://${host}`) + (target.startsWith("/") ? target : targetOf(target)),
    headers: faithfulHeaders(request),
    body,
    requestId: exchange.id,
    address: exchange.address === unknownAddress ? undefined : exchange.address,
    quiet: lines.isBeyond(exchange.network),
    trailers: faithfulTrailers(request),
  };
};
