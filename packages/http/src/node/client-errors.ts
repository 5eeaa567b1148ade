import type { Server } from "node:http";
import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { AppError } from "@postern/core";
import type { Gateway } from "../gateway.ts";
import { notImplemented } from "../head/methods.ts";
import { mostUrlBytes, uriTooLong } from "../head/request-head.ts";
import { addressOf, connectionOf, type NodeExchange, type PlacedRequest } from "./connections.ts";

interface ParserError extends Error {
  readonly code?: string;
  readonly rawPacket?: Buffer;
  readonly bytesParsed?: number;
}

/**
 * How much may come behind a fault that is answered later. It is enough for a body that the head did
 * not announce.
 */
const mostNonsenseBytes = 1024 * 1024;

/** How many bytes a connection had brought when its fault came, which is answered after the request before it. */
const faultyAt = new WeakMap<Duplex, number>();

/**
 * Answers faults that Node finds before there is a request (malformed HTTP, headers too large, too
 * slow) with a problem document, as every other fault. Node's own answers have no body.
 */
export const answerClientErrors = (server: Server, gateway: Gateway): void => {
  // No answer can be sent before the handshake is done.
  server.on("tlsClientError", (_error: Error, socket: Duplex) => socket.destroy());
  server.on("clientError", (error: ParserError, socket: Duplex) => {
    const { latest } = connectionOf(socket);
    if (error.code === "ECONNRESET" || !socket.writable || (latest !== undefined && beyondAnswer(latest))) {
      socket.destroy();
      return;
    }
    // Before the wait, so that the bytes that the error holds are free during it.
    const fault = faultOf(error);
    const isUnfinished = latest?.req.complete === false;
    const answer = () => answerRaw(gateway, socket, fault, isUnfinished ? latest.nodeExchange : undefined);
    if (latest === undefined || latest.res.writableFinished || (isUnfinished && latest.hasBegun)) {
      answer();
      return;
    }
    // Sound requests before the bad one get their answers first. Node reports each piece that comes
    // meanwhile as a further fault.
    const { bytesRead = 0 } = socket as Partial<Socket>;
    const from = faultyAt.get(socket);
    if (from !== undefined) {
      if (bytesRead - from > mostNonsenseBytes) socket.destroy();
      return;
    }
    faultyAt.set(socket, bytesRead);
    if (isUnfinished) latest.fault = answer;
    else latest.res.once("close", answer);
  });
  server.on("connect", (_req, socket: Duplex) => answerRaw(gateway, socket, notImplemented()));
};

/** True when the bad bytes belong to a request whose answer is under way already. */
const beyondAnswer = ({ req, res }: PlacedRequest): boolean => !req.complete && res.headersSent;

/** Browsers send about 30, and proxies add some. */
export const mostHeaders = 100;
/** The code of a request that has more headers than it may have. Node itself only counts their bytes. */
export const manyHeadersCode = "ERR_TOO_MANY_HEADERS";

const faultOf = ({ code, rawPacket, bytesParsed }: ParserError): AppError => {
  switch (code) {
    case manyHeadersCode:
      return new AppError("headers_too_large", {
        detail: `The request has more than ${mostHeaders} headers; send fewer.`,
      });
    case "HPE_HEADER_OVERFLOW":
      return isLongUrl(rawPacket)
        ? uriTooLong()
        : new AppError("headers_too_large", { detail: "Request line and headers are too long." });
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

/**
 * Node reports the same error for an unknown method and for bytes that are not HTTP at all. Only as
 * much of the request line is checked as a URL may have.
 */
const isRequestLine = (packet: Buffer | undefined, at = 0): boolean => {
  const text = packet?.toString("latin1") ?? "";
  const start = text.lastIndexOf("\n", at - 1) + 1;
  return /^[A-Za-z][\w-]* \S+ HTTP\/\d\.\d\r?\n/.test(text.slice(start, start + mostUrlBytes));
};

/** Node counts the URL among the headers. */
const isLongUrl = (packet: Buffer | undefined): boolean => {
  if (packet === undefined) return false;
  const end = packet.indexOf("\r\n");
  return (end === -1 ? packet.length : end) > mostUrlBytes;
};

/** Writes an answer to a socket that has no response object, and ends the connection. */
export const answerRaw = (gateway: Gateway, socket: Duplex, fault: AppError, nodeExchange?: NodeExchange): void => {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const answer = gateway.answerFault(fault, nodeExchange?.exchange);
  const headers = Object.entries({ ...answer.headers, connection: "close", date: new Date().toUTCString() });
  const head = headers.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  // First end, then destroy, as Node does: the answer leaves, and nothing waits for the caller.
  const text = `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status]}\r\n${head}\r\n${answer.body ?? ""}`;
  socket.end(text, () => socket.destroy());
  if (nodeExchange === undefined) {
    const id = answer.headers["x-request-id"] ?? "";
    gateway.log({ id, address: addressOf(socket), startedMs: performance.now() }, answer);
  } else {
    nodeExchange.cutOff = answer;
  }
};
