#!/usr/bin/env node
import { runCli } from "./run-cli.ts";

const terminal = {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  environment: process.env,
  directory: process.cwd(),
};
process.exitCode = await runCli(process.argv.slice(2), terminal);
