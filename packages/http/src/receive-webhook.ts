import { AppError } from "@postern/core";
import { webhookSizeCheck } from "./check-webhook-size.ts";
import type { Exchange } from "./exchange.ts";
import type { GatewayParts } from "./gateway-parts.ts";
import type { Answer } from "./http-app.ts";
import { longBytes } from "./json-body.ts";
import { refuseCodings } from "./media-type.ts";
import { answerOptions, methodNotAllowed } from "./methods.ts";
import { faithfulHeaders, faithfulTrailers, headerOf } from "./raw-headers.ts";
import { announcedLength, type HeldBody, withBytes } from "./read-bytes.ts";
import type { Pause } from "./resting-turns.ts";
import type { ApiRoute } from "./routes.ts";

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
  refuseCodings(request);
  const { budget, uploads, settings, overload } = parts;
  const { closes: closedBefore } = exchange;
  const look = webhookSizeCheck(announcedLength(request), settings.webhookLimitValues);
  const limits = { limit: settings.webhookLimitBytes, network, budget, uploads, noteBytes: overload.noteBytes, look };
  // If the body does not come in whole, the connection cannot be used again.
  exchange.closes = true;
  return withBytes(request, limits, (held) => {
    exchange.closes = closedBefore;
    return receiveHeld(parts, exchange, held);
  });
};

/** Hands over a body: a long one in its turn, because to read it takes milliseconds. */
const received = (parts: GatewayParts, exchange: Exchange, bytes: Uint8Array): Promise<Answer> =>
  bytes.length > longBytes ? receiveInTurn(parts, exchange, bytes) : receive(parts, exchange, bytes);

const receiveInTurn = (parts: GatewayParts, exchange: Exchange, bytes: Uint8Array): Promise<Answer> =>
  parts.longTexts.run(exchange.network, (pause) =>
    receive(parts, exchange, bytes, bytes.length > veryLongBytes ? pause : undefined),
  );

/** Hands over a body that has come in whole, and then gives its memory back. */
const receiveHeld = (
  parts: GatewayParts,
  exchange: Exchange,
  { bytes, memory }: HeldBody,
): Answer | Promise<Answer> => {
  try {
    return received(parts, exchange, bytes).then(
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
  return receive(parts, exchange, nothing);
};

const receive = (
  { app, settings, refusals, refusalLines }: GatewayParts,
  exchange: Exchange,
  body: Uint8Array,
  pause?: Pause,
) =>
  app.receive({
    provider: providerIn(exchange.fullPath),
    method: exchange.request.method,
    url: `${settings.publicOrigin ?? originOf(exchange)}${exchange.target}`,
    headers: faithfulHeaders(exchange.request),
    body,
    requestId: exchange.id,
    address: exchange.address,
    quiet: refusals.areMany(exchange.network) || refusalLines.areMany(exchange.network),
    trailers: faithfulTrailers(exchange.request),
    pause,
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
