import type { Socket } from "node:net";

/** What Node's parser calls for each head that it has read. It is not documented. */
type ParsedSocket = Socket & { readonly parser?: { onIncoming?: unknown } | null };

/** Has the parser skip the rest of the bytes that it was given. */
const skipRest = (): number => 2;

/**
 * Reads nothing more of a connection as HTTP. What still comes is taken in and dropped, up to
 * `mostBytes`, so that the caller gets to read the answers before it is told that the connection
 * ends. A caller that sends more is cut. Call it while a request is taken in that will not be
 * answered, or for bytes that are no request: all requests before them have come in whole by then.
 *
 * Without it Node makes a request of everything that was pipelined, up to 1,300 of 64 KiB, and an
 * error with a stack for each of them when the connection closes. That is 70 ms of the event loop.
 */
export const dropRest = (socket: Socket, mostBytes: number): void => {
  const { parser }: ParsedSocket = socket;
  // Of what Node hands to the parser in one go. Where a version of Node has no such member, that is
  // parsed to its end, and what comes after it is not.
  if (typeof parser?.onIncoming === "function") parser.onIncoming = skipRest;
  // A new listener has Node hand out the bytes themselves instead of parsing them.
  let dropped = 0;
  socket.removeAllListeners("data").on("data", ({ length }: Buffer) => {
    dropped += length;
    if (dropped > mostBytes) socket.destroy();
  });
};
