import type { Server } from "node:http";
import type { Socket } from "node:net";

/**
 * Closes connections that have paused for too long between requests, but looks first whether a
 * request has come meanwhile. Node alone closes them when their time is over. If the event loop was
 * busy at that moment, bytes that had come before would be lost, and their sender would read of a
 * reset instead of an answer.
 */
export const closeIdleConnections = (server: Server): void => {
  // With a listener, Node leaves it to the listener to close the connection.
  server.on("timeout", (socket: Socket) => {
    const { bytesRead } = socket;
    // Timers come before what has arrived is read, and this after it.
    setImmediate(() => {
      if (socket.bytesRead === bytesRead) socket.destroy();
    });
  });
};
