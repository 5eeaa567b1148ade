import type { Server } from "node:http";
import type { Socket } from "node:net";

/** A caller that was told how long it may pause may be this much later, in milliseconds. */
const mostGraceMs = 2_000;

/**
 * Closes connections that have paused for too long between requests, but later than their callers
 * were told. A caller that sends right before the end of the pause, over a slow line, would meet the
 * end of its connection, and a proxy would make an error of it. Node alone closes them when their
 * time is over. If the event loop was busy at that moment, bytes that had come before would be lost,
 * and their sender would read of a reset instead of an answer.
 */
export const closeIdleConnections = (server: Server): void => {
  // With a listener, Node leaves it to the listener to close the connection.
  server.on("timeout", (socket: Socket) => {
    const { bytesRead } = socket;
    // Timers come before what has arrived is read, and an immediate after it.
    const close = (): void => {
      setImmediate(() => {
        if (socket.bytesRead === bytesRead) socket.destroy();
      });
    };
    setTimeout(close, Math.min(server.keepAliveTimeout, mostGraceMs)).unref();
  });
};
