import { bannerOf } from "./banner.ts";
import type { GroupMessage, MemberMessage } from "./group-messages.ts";
import type { RunningServer } from "./start-server.ts";

const tell = (message: MemberMessage): void => {
  process.send?.(message);
};

/**
 * Tells the first process that this one is ready, and answers its questions. Resolves when this
 * process must stop. A Ctrl-C reaches every process of a terminal, and systemd tells every process
 * as well, so all signals after the first are ignored here: the first process decides when to stop
 * waiting.
 */
export const serveGroup = (server: RunningServer): Promise<void> =>
  new Promise((resolve) => {
    const stop = (): void => resolve();
    process.on("SIGINT", stop);
    process.on("SIGTERM", stop);
    process.on("message", (message: GroupMessage) => {
      if (message.kind === "stop") return stop();
      void server.metrics().then((text) => tell({ kind: "metrics", id: message.id, text }));
    });
    tell({ kind: "ready", url: server.url, banner: bannerOf(server) });
  });
