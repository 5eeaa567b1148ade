import { AppError } from "@postern/core";
import type { IncomingWebhook } from "@postern/core/parts";
import { webhookSizeCheck } from "./check-webhook-size.ts";
import { type Exchange, targetOf } from "./exchange.ts";
import type { GatewayParts } from "./gateway-parts.ts";
import type { Answer } from "./http-app.ts";
import { longBytes } from "./json-body.ts";
import { webhookCoding } from "./media-type.ts";
import { answerOptions, methodNotAllowed } from "./methods.ts";
import { faithfulHeaders, faithfulTrailers, headerOf } from "./raw-headers.ts";
import { announcedLength, type HeldBody, withBytes } from "./read-bytes.ts";
import type { ApiRoute } from "./routes.ts";
import { unpackGzip } from "./unpack-gzip.ts";

const nothing = new Uint8Array();

/** A longer webhook is read in several turns of the event loop. */
const veryLongBytes = 256 * 1024;

/**
 * Hands a webhook to the inbox, in as few steps as possible. Nothing here looks into the bytes.
 * None of these functions is async: each would take as much memory as three of them do now.
 * @throws AppError when the request is refused; CallerGone when its caller went away. What the head
 * tells is thrown before there is a promise.
 */
export const receiveWebhook = (parts: GatewayParts, exchange: Exchange, route: ApiRoute): Promise<Answer> => {
  const { request, network } = exchange;
  if (request.method !== "POST") return answerHandshake(parts, exchange, route);
  parts.overload.admitWebhook(network);
  const coding = webhookCoding(request);
  const { budget, uploads, settings, overload } = parts;
  const { closes: closedBefore } = exchange;
  const look = webhookSizeCheck(announcedLength(request), settings.webhookLimitValues);
  const limits = { limit: settings.webhookLimitBytes, network, budget, uploads, noteBytes: overload.noteBytes, look };
  // If the body does not come in whole, the connection cannot be used again.
  exchange.closes = true;
  return withBytes(request, limits, (held) => {
    exchange.closes = closedBefore;
    return receiveHeld(parts, exchange, held, coding);
  });
};

/** Hands over a body. One in gzip waits for the memory that it needs unpacked before it has a turn. */
const received = (
  parts: GatewayParts,
  exchange: Exchange,
  { bytes, memory }: HeldBody,
  coding: "identity" | "gzip",
): Promise<Answer> => {
  const { app, settings } = parts;
  const webhook = webhookOf(parts, exchange, bytes);
  if (coding === "identity") return inTurn(parts, exchange, webhook, (turned) => app.receive(turned));
  const reserve = (total: number) => memory.take(total, bytes.length);
  return app.receive({
    ...webhook,
    unpack: async (take) => {
      const body = await unpackGzip(bytes, settings.webhookLimitBytes, reserve);
      webhookSizeCheck(body.length, settings.webhookLimitValues)?.(body, { length: body.length, whole: () => body });
      return inTurn(parts, exchange, { ...webhook, body }, take);
    },
  });
};

/** Hands on a webhook: a long one in its turn, because to read it takes milliseconds. */
const inTurn = <Result>(
  { longTexts }: GatewayParts,
  { network }: Exchange,
  webhook: IncomingWebhook,
  take: (webhook: IncomingWebhook) => Promise<Result>,
): Promise<Result> =>
  webhook.body.length > longBytes
    ? longTexts.run(network, (pause) => take(webhook.body.length > veryLongBytes ? { ...webhook, pause } : webhook))
    : take(webhook);

/** Hands over a body that has come in whole, and then gives its memory back. */
const receiveHeld = (
  parts: GatewayParts,
  exchange: Exchange,
  held: HeldBody,
  coding: "identity" | "gzip",
): Answer | Promise<Answer> => {
  const { memory } = held;
  try {
    return received(parts, exchange, held, coding).then(
      (answer) => {
        memory.release();
        noteOutcome(parts, exchange, answer);
        return answer;
      },
      (thrown: unknown) => {
        memory.release();
        throw thrown;
      },
    );
  } catch (thrown) {
    memory.release();
    throw thrown;
  }
};

/**
 * An address that sent a valid signature is a proven sender. An address that sends too many invalid
 * ones loses its connection.
 */
const noteOutcome = ({ budget, refusals }: GatewayParts, exchange: Exchange, answer: Answer): void => {
  if (answer.status === 200) {
    budget.prove(exchange.network);
    exchange.isCounted = exchange.request.method === "POST";
  }
  // The path may contain any name. Note only that of a provider that exists.
  if (answer.status !== 404) exchange.noted = { provider: providerIn(exchange.fullPath).slice(0, 64) };
  if (answer.status !== 401) return;
  exchange.closes = refusals.note(exchange.network);
  exchange.quiet = exchange.closes;
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

const webhookOf = (
  { settings, refusals, refusalLines }: GatewayParts,
  exchange: Exchange,
  body: Uint8Array,
): IncomingWebhook => ({
  provider: providerIn(exchange.fullPath),
  method: exchange.request.method,
  // As it was sent: some senders sign the URL.
  url: `${settings.publicOrigin ?? originOf(exchange)}${targetOf(exchange.request.target)}`,
  headers: faithfulHeaders(exchange.request),
  body,
  requestId: exchange.id,
  address: exchange.address,
  quiet: refusals.areMany(exchange.network) || refusalLines.areMany(exchange.network),
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
