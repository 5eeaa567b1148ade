import type { Command } from "commander";
import { loadServer } from "../load-server.ts";
import { noteAtTerminal, withSession } from "../session.ts";
import { CommandError, exitCodes, hint, type Terminal } from "../terminal.ts";

interface SetupLinkOptions {
  readonly url?: string;
  readonly json?: boolean;
}

/** `postern setup-link` */
export const addSetupLinkCommand = (command: Command, terminal: Terminal): void => {
  command
    .option("--url <url>", "the address of the server (default: POSTERN_PUBLIC_URL, or this machine)")
    .option("--json", "print { link } as JSON")
    .action(async ({ url, json }: SetupLinkOptions) => {
      await withSession(terminal, async ({ composition, config }) => {
        const { app, ports, parts } = composition;
        if (config.console === "off" || !parts.includes("users")) {
          const text = "This server has no console. Make users here: postern users create";
          throw new CommandError(exitCodes.stateConflict, hint(text, terminal));
        }
        const { ownAddress } = await loadServer();
        const secret = await app.offerSetup();
        await noteAtTerminal(ports, { action: "console.setup-link", resource: "user" });
        const link = `${url?.replace(/\/$/, "") ?? ownAddress(config)}/console/#/setup/${secret}`;
        if (json !== true) terminal.stderr.write("This makes the first administrator, once, within 30 minutes:\n");
        terminal.stdout.write(json === true ? `${JSON.stringify({ link })}\n` : `${link}\n`);
      });
    });
};
