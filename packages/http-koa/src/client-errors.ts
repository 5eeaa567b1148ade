import type { Server } from "node:http";
import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { AppError } from "@postern/core";
import { logAccess } from "./access-log.ts";
import { urlLimit } from "./check-target.ts";
import type { Exchange } from "./exchange.ts";
import type { Gateway } from "./gateway.ts";
import { notImplemented } from "./methods.ts";
import { render } from "./render.ts";

/** What Node's parser reports. */
interface ParserError extends Error {
  readonly code?: string;
  readonly rawPacket?: Buffer;
  readonly bytesParsed?: number;
}

/**
 * Lets what Node finds wrong with a request before it is one (malformed HTTP, headers too large, too slow) be answered like everything else, as a
 * problem document. Node's own answers have no body.
 */
export const answerClientErrors = (server: Server, gateway: Gateway): void => {
  server.on("clientError", (error: ParserError, socket: Duplex) => {
    const exchange = gateway.connections.get(socket)?.latest;
    const inFlight = exchange !== undefined && !exchange.res.writableFinished;
    if (error.code === "ECONNRESET" || !socket.writable || (exchange !== undefined && beyondAnswer(exchange))) {
      socket.destroy();
      return;
    }
    const answer = () =>
      answerRaw(gateway, socket, faultOf(error), exchange?.req.complete === false ? exchange : undefined);
    // A sound request before the bad one gets its answer first.
    if (inFlight && exchange.req.complete) exchange.res.once("close", answer);
    else answer();
  });
  server.on("connect", (_req, socket: Duplex) => answerRaw(gateway, socket, notImplemented(), undefined));
};

/** True when the bad bytes belong to a request whose answer is under way already. */
const beyondAnswer = ({ req, res }: Exchange): boolean => !req.complete && res.headersSent;

const faultOf = ({ code, rawPacket, bytesParsed }: ParserError): AppError => {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return isLongUrl(rawPacket)
        ? new AppError("uri_too_long", { detail: `The URL is longer than ${urlLimit} bytes.` })
        : new AppError("headers_too_large", { detail: "Request line and headers must not exceed 16 KiB." });
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return new AppError("content_too_large", { detail: "The chunk extensions are too long." });
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return new AppError("request_timeout", { detail: "The request did not arrive in time." });
    case "HPE_INVALID_METHOD":
      return isRequestLine(rawPacket, bytesParsed) ? notImplemented() : malformed();
    default:
      return malformed();
  }
};

const malformed = (): AppError =>
  new AppError("bad_request", { detail: "This is not a well-formed HTTP request, or it broke off." });

/** Node says the same of an unknown method and of plain nonsense. */
const isRequestLine = (packet: Buffer | undefined, at = 0): boolean => {
  const text = packet?.toString("latin1") ?? "";
  const start = text.lastIndexOf("\n", at - 1) + 1;
  return /^[A-Za-z][\w-]* \S+ HTTP\/\d\.\d\r?\n/.test(text.slice(start, start + urlLimit));
};

/** Node counts the URL among the headers. */
const isLongUrl = (packet: Buffer | undefined): boolean => {
  if (packet === undefined) return false;
  const end = packet.indexOf("\r\n");
  return (end === -1 ? packet.length : end) > urlLimit;
};

/** Writes an answer by hand, where there is no response object, and ends the connection. */
const answerRaw = (gateway: Gateway, socket: Duplex, fault: AppError, exchange: Exchange | undefined): void => {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const unknown = {
    id: gateway.settings.requestId(),
    method: "",
    route: "unmatched",
    version: undefined,
    logged: undefined,
  };
  const facts = exchange ?? { ...unknown, startedMs: performance.now() };
  const answer = render(gateway, facts, gateway.app.fail(fault, { path: exchange?.path ?? "", requestId: facts.id }));
  const headers = Object.entries({ ...answer.headers, connection: "close", date: new Date().toUTCString() });
  const head = headers.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  // Ending and then destroying, as Node does, lets the answer out and waits for nobody.
  const text = answer.body ?? "";
  socket.end(`HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status]}\r\n${head}\r\n${text}`, () => socket.destroy());
  if (exchange === undefined) {
    logAccess(gateway.settings, facts, { status: answer.status, bytes: Buffer.byteLength(text) });
  } else {
    exchange.cutOff = answer;
  }
};
