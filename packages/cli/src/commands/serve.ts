import type { Command } from "commander";
import { loadServer } from "../load-server.ts";
import { CommandError, exitCodes, type Terminal } from "../terminal.ts";

const portOf = (text: string): number => {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new CommandError(exitCodes.usage, `--port must be a whole number from 0 to 65535, not ${text}.`);
};

/** `postern serve`. It runs until it is stopped; `onExit` receives its exit code. */
export const addServeCommand = (serve: Command, _terminal: Terminal, onExit: (code: number) => void): void => {
  serve
    .option("--port <port>", "listen here instead of PORT")
    .option("--host <host>", "listen here instead of HOST")
    .action(async ({ port, host }: { port?: string; host?: string }) => {
      const { runServer } = await loadServer();
      onExit(
        await runServer({
          ...(port === undefined ? {} : { port: portOf(port) }),
          ...(host === undefined ? {} : { host }),
        }),
      );
    });
};

/** `postern worker`, likewise. */
export const addWorkerCommand = (worker: Command, _terminal: Terminal, onExit: (code: number) => void): void => {
  worker.action(async () => {
    const { runServer } = await loadServer();
    onExit(await runServer({ role: "worker" }));
  });
};
