import * as module from "node:module";
import { fileURLToPath } from "node:url";
import { compiledFile } from "./compiled-file.ts";
import type { runServer } from "./run-server.ts";
import { collectEarly, keepRequestsYoung, startSmall } from "./v8-flags.ts";

/** A part of `node:module` from Node 22.8 on. */
const { enableCompileCache } = module as { enableCompileCache?: (directory: string) => unknown };
const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
/** The first requests have been answered by then, so that their code is kept as well. */
const keepAfterMs = 2_000;

// V8 takes kept code only under the flags it was made with, so this one is set before.
keepRequestsYoung();
// For the modules that are not in the bundle. A folder that cannot be written leaves everything as
// it is.
enableCompileCache?.(here("../.cache/compiled"));

const server = compiledFile(here("./server.cjs"), here("../.cache/compiled/server"));
setTimeout(() => {
  server.keep();
  // Not before: V8 would not take the kept code, because no start has this flag.
  collectEarly();
}, keepAfterMs).unref();
startSmall();
const { runServer: run } = server.run((specifier) => import(specifier)) as { runServer: typeof runServer };

// Everything is flushed and closed by now. A handle that a library left open must not keep the
// process alive.
process.exit(await run());
