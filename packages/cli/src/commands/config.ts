import type { SettingInEffect } from "@postern/server";
import type { Command } from "commander";
import { loadServer } from "../load-server.ts";
import { type Terminal, table } from "../terminal.ts";

const originOf = ({ origin, variable }: SettingInEffect): string => {
  if (origin === "environment") return `environment variable ${variable}`;
  return origin === "file" ? "configuration file" : "default";
};

const rowOf = (setting: SettingInEffect): readonly unknown[] => {
  const { name, value } = setting;
  return [name, Array.isArray(value) ? value.join(", ") : value, originOf(setting)];
};

/** `postern config …` */
export const addConfigCommands = (config: Command, terminal: Terminal): void => {
  config
    .command("show")
    .description("show every setting in effect, its value and where it comes from")
    .option("--json", "print { items } as JSON")
    .addHelpText(
      "after",
      "\nOf a secret it says only whether it is set. A setting with - has no value, or a default that docs/configuration.md and docs/limits.md name.",
    )
    .action(async ({ json }: { json?: boolean }) => {
      const { settingsInEffect } = await loadServer();
      const items = await settingsInEffect(terminal.environment, terminal.directory);
      terminal.stdout.write(
        json === true
          ? `${JSON.stringify({ items })}\n`
          : table(["setting", "value", "origin"], items.map(rowOf), terminal.stdout.isTTY === true),
      );
    });
};
