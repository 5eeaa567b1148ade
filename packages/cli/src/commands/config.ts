import type { SettingInEffect } from "@postern/server";
import type { Command } from "commander";
import { loadServer } from "../load-server.ts";
import { type Columns, type ListOutput, printList, withListOutput } from "../print-list.ts";
import type { Terminal } from "../terminal.ts";

const originOf = ({ origin, variable }: SettingInEffect): string => {
  if (origin === "environment") return `environment variable ${variable}`;
  return origin === "file" ? "configuration file" : "default";
};

const columns: Columns<SettingInEffect> = {
  setting: ({ name }) => name,
  value: ({ value }) => (Array.isArray(value) ? value.join(", ") : value),
  origin: originOf,
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
    const { settingsInEffect } = await loadServer();
    const items = await settingsInEffect(terminal.environment, terminal.directory);
    printList(terminal, output, { items, columns });
  });
};
