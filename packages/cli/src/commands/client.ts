import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Command } from "commander";
import { typesOf } from "../client/types-of.ts";
import { declaredApi } from "../contract/declared-api.ts";
import { CommandError, exitCodes, type Terminal } from "../terminal.ts";

interface Options {
  readonly out: string;
  readonly apiVersion?: string;
}

const fileOf = (
  version: string,
  types: string,
): string => `// Made by \`postern client\`. Make it anew when the API changes.
import { type ClientOf, type ClientOptions, clientOf } from "@postern/client";

/** A client of ${version} of this API: \`createClient({ origin: "https://api.example.com" })\`. */
export const createClient = (options: Omit<ClientOptions<"${version}">, "version">): ClientOf<paths> =>
  clientOf<paths>({ ...options, version: "${version}" });

${types}`;

/** `postern client` */
export const addClientCommand = (client: Command, terminal: Terminal): void => {
  client
    .requiredOption("--out <file>", "where the client is written, such as src/api-client.ts")
    .option("--api-version <version>", "the version (default: the newest)")
    .addHelpText("after", "\nThe file needs @postern/client. It is made from the configuration file, without a server.")
    .action(async ({ out, apiVersion }: Options) => {
      const api = await declaredApi(terminal);
      const version = apiVersion ?? api.newest;
      const text = fileOf(version, typesOf(api.documentOf(version)));
      try {
        writeFileSync(resolve(terminal.directory, out), text);
      } catch (thrown) {
        const why = thrown instanceof Error ? thrown.message : String(thrown);
        throw new CommandError(exitCodes.usage, `${out} cannot be written: ${why}`);
      }
      terminal.stdout.write(`Wrote the client of ${version} to ${out}.\n`);
    });
};
