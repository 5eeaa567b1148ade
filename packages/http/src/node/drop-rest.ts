import type { Socket } from "node:net";

/** What Node's parser calls for each head that it has read. It is not documented. */
type ParsedSocket = Socket & { readonly parser?: { onIncoming?: unknown } | null };

/** Has the parser skip the rest of the bytes that it was given. */
const skipRest = (): number => 2;

/** Connections of which more is to be dropped. The first one is read next. */
const waiting = new Set<Socket>();

const readNext = (): void => {
  const [next] = waiting;
  if (next === undefined) return;
  waiting.delete(next);
  next.resume();
  if (waiting.size > 0) setImmediate(readNext);
};

/** Lets a connection wait until it may be read again. */
const wait = (socket: Socket): void => {
  // Otherwise Node would go on: it takes in up to 2 MiB of one connection before it turns to others.
  socket.pause();
  if (waiting.size === 0) setImmediate(readNext);
  waiting.add(socket);
};

/**
 * Reads nothing more of a connection as HTTP. What still comes is taken in and dropped, up to
 * `mostBytes`, so that the caller gets to read the answers before it is told that the connection
 * ends. A caller that sends more is cut. In each turn of the event loop, the bytes of one connection
 * are dropped. Call it while a request is taken in that will not be answered, or for bytes that are
 * no request: all requests before them have come in whole by then.
 *
 * Without it Node makes a request of everything that was pipelined, up to 1,300 of 64 KiB, and an
 * error with a stack for each of them when the connection closes. That is 70 ms of the event loop.
 */
export const dropRest = (socket: Socket, mostBytes: number): void => {
  const { parser }: ParsedSocket = socket;
  // Of what Node hands to the parser in one go. Where a version of Node has no such member, that is
  // parsed to its end, and what comes after it is not.
  if (typeof parser?.onIncoming === "function") parser.onIncoming = skipRest;
  let dropped = 0;
  // A new listener has Node hand out the bytes themselves instead of parsing them.
  socket.removeAllListeners("data").on("data", ({ length }: Buffer) => {
    dropped += length;
    if (dropped > mostBytes) socket.destroy();
    else wait(socket);
  });
};
