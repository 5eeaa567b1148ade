import * as module from "node:module";
import { fileURLToPath } from "node:url";
import { answerArguments } from "./arguments.ts";
import { endAtEarlySignal } from "./early-signal.ts";

endAtEarlySignal();

const given = process.argv.slice(2);
if (given.length > 0) process.exit(answerArguments(given, process));

/** A part of `node:module` from Node 22.8 on. */
const { enableCompileCache } = module as { enableCompileCache?: (directory: string) => unknown };

// V8 keeps the code that it has compiled beside the program, so that the next start has less to do.
// A folder that cannot be written leaves everything as it is.
enableCompileCache?.(fileURLToPath(new URL("../.cache/compiled", import.meta.url)));

// Loaded after that, so that it is kept as well.
const { runServer } = await import("./run-server.ts");

// Everything is flushed and closed by now. A handle that a library left open must not keep the
// process alive.
process.exit(await runServer());
