#!/usr/bin/env node
import { runCli } from "./run-cli.ts";

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
