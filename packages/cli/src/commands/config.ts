import type { Command } from "commander";
import { loadServer } from "../load-server.ts";
import type { AnswerOf } from "../operations.ts";
import { type Columns, type ListOutput, printList, withListOutput } from "../print-list.ts";
import { remoteOperations } from "../remote-operations.ts";
import type { Terminal } from "../terminal.ts";

type Setting = AnswerOf<"admin.settings">["data"][number];

const originOf = ({ origin, variable }: Setting): string => {
  if (origin === "environment") return `environment variable ${variable}`;
  if (origin === "option") return "option of the command line";
  return origin === "file" ? "configuration file" : "default";
};

const columns: Columns<Setting> = {
  setting: "name",
  value: ({ value }) => (Array.isArray(value) ? value.join(", ") : value),
  origin: originOf,
};

/** Those of a running server, or of the one that would run here. No database is opened for these. */
export const readSettings = async (terminal: Terminal): Promise<readonly Setting[]> => {
  const chosen = await terminal.server?.();
  if (chosen !== undefined) {
    return (await remoteOperations(chosen, terminal).run({ operation: "admin.settings" })).data;
  }
  const { settingsInEffect } = await loadServer();
  return settingsInEffect(terminal.environment, terminal.directory);
};

/** `postern config …` */
export const addConfigCommands = (config: Command, terminal: Terminal): void => {
  const show = config
    .command("show")
    .description("show every setting in effect, its value and where it comes from")
    .addHelpText(
      "after",
      "\nOf a secret it says only whether it is set. A setting with - has no value, or a default that docs/configuration.md and docs/limits.md name.",
    );
  withListOutput(show, "{ items }").action(async (output: ListOutput) => {
    printList(terminal, output, { items: await readSettings(terminal), columns });
  });
};
