import type { Server } from "node:http";
import type { Postern } from "postern";

/** Serves until the process is told to stop. Then both stop at once: an open console keeps a connection. */
export const serve = (server: Server, postern: Postern): void => {
  server.listen(process.env.PORT ?? 3000);
  process.once("SIGTERM", async () => {
    server.close();
    await postern.stop();
  });
};
