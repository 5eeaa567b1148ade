import * as module from "node:module";
import { fileURLToPath } from "node:url";
import { answerArguments } from "./arguments.ts";
import { compiledFile } from "./compiled-file.ts";
import { endAtEarlySignal } from "./early-signal.ts";
import type { runServer } from "./run-server.ts";
import { collectEarly, keepRequestsYoung, startSmall } from "./v8-flags.ts";

endAtEarlySignal();

const given = process.argv.slice(2);
if (given.length > 0) process.exit(answerArguments(given, process));

/** A part of `node:module` from Node 22.8 on. */
const { enableCompileCache } = module as { enableCompileCache?: (directory: string) => unknown };
const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
/** The first requests have been answered by then, so that their code is kept as well. */
const keepAfterMs = 2_000;

// V8 accepts kept code only under the flags with which it was made, so set this flag first.
keepRequestsYoung();
// For the modules that are not in the bundle. A folder that cannot be written leaves everything as
// it is.
enableCompileCache?.(here("../.cache/compiled"));

const server = compiledFile(here("./server.cjs"), here("../.cache/compiled/server"));
setTimeout(() => {
  server.keep();
  // Not earlier: V8 would not accept the kept code, because a start does not have this flag.
  collectEarly();
}, keepAfterMs).unref();
startSmall();
const { runServer: run } = server.run((specifier) => import(specifier)) as { runServer: typeof runServer };

// Everything is flushed and closed by now. A handle that a library left open must not keep the
// process alive.
process.exit(await run());
