export { runCli } from "./run-cli.ts";
export { exitCodes, type Terminal } from "./terminal.ts";
