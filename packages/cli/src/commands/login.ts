import { rmSync } from "node:fs";
import type { Command } from "commander";
import { profilesFile, readProfiles, serverUrl, writeProfiles } from "../chosen-server.ts";
import { remoteOperations } from "../remote-operations.ts";
import { CommandError, exitCodes, hint, readSecret, type Terminal } from "../terminal.ts";

/** `postern login` */
export const addLoginCommand = (login: Command, terminal: Terminal): void => {
  login
    .argument("<url>", "the address of the server, with its base path if it has one; https, or this machine")
    .option("--name <name>", "what --server calls it (default: its host)")
    .addHelpText(
      "after",
      hint(
        "\nType an API key at the prompt, or pipe it in. Make one with: postern keys create --user <email> --name terminal --scope health:read,events:read,jobs:read",
        terminal,
      ),
    )
    .action(async (given: string, { name }: { name?: string }) => {
      const url = serverUrl(given);
      const called = name ?? new URL(url).host;
      if (!/^[\w.:-]{1,100}$/.test(called) || called.includes("://"))
        throw new CommandError(exitCodes.usage, "--name takes letters, digits, dots, colons and hyphens.");
      const token = (await readSecret(terminal, "API key (not shown): ")).trim();
      if (token === "") throw new CommandError(exitCodes.usage, "No key was given: type it, or pipe it in.");
      // A key that the server does not take is not kept.
      await remoteOperations({ url, token }, terminal).run({ operation: "admin.health" });
      writeProfiles(terminal, { ...readProfiles(terminal), [called]: { url, token } });
      terminal.stdout.write(hint(`Kept ${url} as ${called}. Try: postern status --server ${called}\n`, terminal));
    });
};

/** `postern logout` */
export const addLogoutCommand = (logout: Command, terminal: Terminal): void => {
  logout.argument("<name>", "what login called it").action((name: string) => {
    const { [name]: found, ...others } = readProfiles(terminal);
    if (found === undefined) throw new CommandError(exitCodes.notFound, `There is no server "${name}".`);
    if (Object.keys(others).length === 0) rmSync(profilesFile(terminal), { force: true });
    else writeProfiles(terminal, others);
    terminal.stdout.write(`Forgot ${name}. Its key stays valid until you revoke it.\n`);
  });
};
