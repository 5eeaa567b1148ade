/**
 * What serves HTTP. Its framework is loaded with the first call: most commands of the command line
 * need none, and loading it takes a seventh of their time.
 */
import type { composeEmbedded as embed } from "./compose-embedded.ts";
import type { runServer as run } from "./run-server.ts";
import type { startServer as start } from "./start-server.ts";

/** See `compose-embedded.ts`. */
export const composeEmbedded: typeof embed = async (...given) =>
  (await import("./compose-embedded.ts")).composeEmbedded(...given);

/** See `run-server.ts`. */
export const runServer: typeof run = async (...given) => (await import("./run-server.ts")).runServer(...given);

/** See `start-server.ts`. */
export const startServer: typeof start = async (...given) => (await import("./start-server.ts")).startServer(...given);
