import { AppError } from "@postern/core";
import type { IncomingWebhook } from "@postern/core/parts";
import { turns } from "../admission/turns.ts";
import { webhookSizeCheck } from "../body/check-webhook-size.ts";
import { longBytes } from "../body/json-body.ts";
import { type HeldBody, readBytes } from "../body/read-bytes.ts";
import { unpackGzip } from "../body/unpack-gzip.ts";
import type { Exchange } from "../exchange.ts";
import type { GatewayParts } from "../gateway-parts.ts";
import { announcedLength, faithfulHeaders, faithfulTrailers, headerOf } from "../head/headers.ts";
import { webhookCoding } from "../head/media-type.ts";
import { answerOptions, methodNotAllowed } from "../head/methods.ts";
import { targetOf } from "../head/target.ts";
import type { Answer } from "../http-app.ts";
import type { ApiRoute } from "../routes.ts";

const nothing = new Uint8Array();

/** A longer webhook is read in several turns of the event loop. */
const veryLongBytes = 256 * 1024;

/** Real webhooks have some thousands of members and elements. To parse so many takes some 20 ms. */
const mostValues = 100_000;

/**
 * Hands a webhook to the inbox. Nothing here looks into the bytes.
 * @throws AppError when the request is refused; CallerGone when its caller went away.
 */
export const receiveWebhook = async (parts: GatewayParts, exchange: Exchange, route: ApiRoute): Promise<Answer> => {
  const { request, network } = exchange;
  if (request.method !== "POST") return answerHandshake(parts, exchange, route);
  const coding = webhookCoding(request);
  const { bodies, uploads, settings } = parts;
  const { closes: closedBefore } = exchange;
  const look = webhookSizeCheck(announcedLength(request), mostValues);
  // If the body does not come in whole, the connection cannot be used again.
  exchange.closes = true;
  const held = await readBytes(request, { limit: settings.webhookLimitBytes, network, bodies, uploads, look });
  exchange.closes = closedBefore;
  try {
    const answer = await received(parts, exchange, held, coding);
    noteOutcome(parts, exchange, answer);
    return answer;
  } finally {
    held.release();
  }
};

/** Hands over a body. One in gzip waits for the memory that it needs unpacked before it has a turn. */
const received = (
  parts: GatewayParts,
  exchange: Exchange,
  { bytes, reserve }: HeldBody,
  coding: "identity" | "gzip",
): Promise<Answer> => {
  const { app, settings } = parts;
  const webhook = webhookOf(parts, exchange, bytes);
  if (coding === "identity") return inTurn(exchange, webhook, (turned) => app.receive(turned));
  return app.receive({
    ...webhook,
    unpack: async (take) => {
      const body = await unpackGzip(bytes, settings.webhookLimitBytes, reserve);
      webhookSizeCheck(body.length, mostValues)?.(body, { length: body.length, whole: () => body });
      return inTurn(exchange, { ...webhook, body }, take);
    },
  });
};

/** Hands on a webhook: a long one in its turn, because to read it takes milliseconds. */
const inTurn = <Result>(
  { network }: Exchange,
  webhook: IncomingWebhook,
  take: (webhook: IncomingWebhook) => Promise<Result>,
): Promise<Result> =>
  webhook.body.length > longBytes
    ? turns.long(network, (pause) => take(webhook.body.length > veryLongBytes ? { ...webhook, pause } : webhook))
    : take(webhook);

/** An address that sent a valid signature is a proven sender. */
const noteOutcome = ({ bodies }: GatewayParts, exchange: Exchange, answer: Answer): void => {
  if (answer.status === 200) {
    bodies.prove(exchange.network);
    exchange.isCounted = exchange.request.method === "POST";
  }
  // The path may contain any name. Note only that of a provider that exists.
  if (answer.status !== 404) exchange.noted = { provider: providerIn(exchange.fullPath).slice(0, 64) };
};

/**
 * Some senders ask before they send: with a GET (or HEAD) that carries a challenge, or with the
 * OPTIONS of CloudEvents, known by its header. The app refuses a request that is not a handshake.
 */
const answerHandshake = async (parts: GatewayParts, exchange: Exchange, { methods }: ApiRoute): Promise<Answer> => {
  const { method, headers } = exchange.request;
  if (!methods.includes(method)) throw methodNotAllowed(methods);
  if (method === "OPTIONS" && headers["webhook-request-origin"] === undefined) return answerOptions(methods);
  return parts.app.receive(webhookOf(parts, exchange, nothing));
};

const webhookOf = ({ settings, lines }: GatewayParts, exchange: Exchange, body: Uint8Array): IncomingWebhook => ({
  provider: providerIn(exchange.fullPath),
  method: exchange.request.method,
  // As it was sent: some senders sign the URL.
  url: `${settings.publicOrigin ?? originOf(exchange)}${targetOf(exchange.request.target)}`,
  headers: faithfulHeaders(exchange.request),
  body,
  requestId: exchange.id,
  address: exchange.address,
  quiet: lines.isBeyond(exchange.network),
  trailers: faithfulTrailers(exchange.request),
});

/**
 * The last segment of the path. Routers differ in whether they decode it, so it is taken from the
 * path itself.
 */
const providerIn = (path: string): string => {
  const provider = path.slice(path.lastIndexOf("/") + 1);
  // `checkTarget` has checked that it decodes.
  return provider.includes("%") ? decodeURIComponent(provider) : provider;
};

/**
 * The origin as the sender called it. This is the only place that trusts `Host`. A wrong one makes
 * a signature over the URL fail, and does nothing else.
 */
const originOf = ({ request }: Exchange): string => {
  const host = headerOf(request, "host");
  if (host === undefined) throw new AppError("bad_request", { detail: "Send a Host header." });
  return `${request.scheme}://${host}`;
};
