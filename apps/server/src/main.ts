import { runServer } from "./run-server.ts";

// Everything has been flushed and closed by then; a stray handle of a library must not keep the process.
process.exit(await runServer());
