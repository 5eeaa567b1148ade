#!/usr/bin/env node
import * as module from "node:module";
import { fileURLToPath } from "node:url";
import { endAtEarlySignal } from "@postern/server/early-signal";

endAtEarlySignal();

/** A part of `node:module` from Node 22.8 on. */
const { enableCompileCache } = module as { enableCompileCache?: (directory: string) => unknown };
// What V8 has compiled is kept for the next command, beside this file, where nobody else can write. A
// folder that cannot be written leaves everything as it is.
enableCompileCache?.(fileURLToPath(new URL("../.cache/compiled", import.meta.url)));
const { runCli } = await import("./run-cli.ts");

const terminal = {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  environment: process.env,
  directory: process.cwd(),
};
// A program that reads only the beginning of the output (`| head`) closes the pipe: the rest has no reader.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit();
});
/** The exit code of the command that this process was started with. */
export const exitCode = await runCli(process.argv.slice(2), terminal);
process.exitCode = exitCode;
// A process of a group has a channel to the first one, which would keep it alive.
if (process.connected) process.disconnect();
