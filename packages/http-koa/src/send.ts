import type { IncomingMessage } from "node:http";
import type { Context } from "koa";
import type { Exchange } from "./exchange.ts";
import { announcedLength, awaitingContinue, hasBody } from "./read-bytes.ts";
import type { Rendered } from "./render.ts";

/** How much of a body that nobody wants is still taken in, so that its sender gets to read the answer. */
const linger = { ms: 2000, bytes: 16 * 1024 * 1024 };

/** A body that is no longer than this is read to its end for the sake of the connection; Node does so by itself. */
const skippedBytes = 1024 * 1024;

/** Sends an answer through Koa, so that middleware around ours sees it as it would see any other. */
export const sendThroughKoa = (ctx: Context, exchange: Exchange, answer: Rendered): void => {
  if (leavesBodyUnread(exchange.req)) {
    ctx.respond = false;
    sendAndLinger(exchange, answer);
    return;
  }
  ctx.status = answer.status;
  ctx.set(answer.headers);
  if (answer.body !== undefined) ctx.body = answer.body;
};

/** Sends an answer straight to the connection. */
export const sendDirectly = (exchange: Exchange, answer: Rendered): void => {
  const { req, res, method } = exchange;
  // The caller may have gone while the answer was made.
  if (res.destroyed || res.headersSent) return;
  if (leavesBodyUnread(req)) {
    sendAndLinger(exchange, answer);
    return;
  }
  res.writeHead(answer.status, answer.headers);
  res.end(method === "HEAD" ? undefined : answer.body);
};

/** Whether bytes may still come that are not worth waiting for: too many, or nobody knows how many, or the caller waits to be told to send them. */
const leavesBodyUnread = (req: IncomingMessage): boolean =>
  !req.complete && hasBody(req) && (awaitingContinue.has(req) || (announcedLength(req) ?? Infinity) > skippedBytes);

/**
 * Answers a caller that is still sending, and closes the connection. Closing at once would reset it, and the caller might lose the answer. So the
 * whole answer goes out (its length is known, the caller need not wait for the end), and only after a while of ignoring what comes is it ended.
 */
const sendAndLinger = ({ req, res, method }: Exchange, answer: Rendered): void => {
  res.writeHead(answer.status, { ...answer.headers, connection: "close" });
  if (method === "HEAD" || answer.body === undefined || answer.body === "") res.flushHeaders();
  else res.write(answer.body);

  let ignored = 0;
  const onData = (chunk: Buffer) => {
    ignored += chunk.length;
    if (ignored > linger.bytes) end();
  };
  const end = () => {
    clearTimeout(timer);
    req.off("data", onData).off("end", end).off("close", end);
    res.end();
  };
  const timer = setTimeout(end, linger.ms);
  if (awaitingContinue.has(req)) end();
  else
    req
      .on("error", () => undefined)
      .on("data", onData)
      .on("end", end)
      .on("close", end)
      .resume();
};
