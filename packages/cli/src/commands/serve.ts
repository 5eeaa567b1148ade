import { runServer } from "@postern/server";
import type { Command } from "commander";
import { CommandError, exitCodes } from "../terminal.ts";

const portOf = (text: string): number => {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new CommandError(exitCodes.usage, `--port must be a whole number from 0 to 65535, not ${text}.`);
};

/**
 * `postern serve` and `postern worker`. They run until they are stopped; `onExit` receives their
 * exit code.
 */
export const addServeCommands = (program: Command, onExit: (code: number) => void): void => {
  program
    .command("serve")
    .description("run the API, the webhook inbox and, unless POSTERN_ROLE says otherwise, the jobs")
    .option("--port <port>", "listen here instead of PORT")
    .option("--host <host>", "listen here instead of HOST")
    .action(async ({ port, host }: { port?: string; host?: string }) => {
      onExit(
        await runServer({
          ...(port === undefined ? {} : { port: portOf(port) }),
          ...(host === undefined ? {} : { host }),
        }),
      );
    });

  program
    .command("worker")
    .description("run jobs only")
    .action(async () => {
      onExit(await runServer({ role: "worker" }));
    });
};
