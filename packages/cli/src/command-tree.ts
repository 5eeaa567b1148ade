import type { Command } from "commander";

/** A command as `postern help --json` tells it. */
export interface CommandTree {
  /** The words that call it, such as `postern events list`. */
  readonly command: string;
  readonly description: string;
  /** What follows the words: arguments and options. */
  readonly usage: string;
  readonly arguments: readonly {
    readonly name: string;
    readonly description: string;
    readonly required: boolean;
    /** Whether several may be given. */
    readonly several: boolean;
    readonly choices: readonly string[] | null;
  }[];
  readonly options: readonly {
    /** Such as `-V, --version` and `--limit <n>`. */
    readonly flags: string;
    readonly description: string;
    readonly required: boolean;
    readonly default: unknown;
    readonly choices: readonly string[] | null;
  }[];
  readonly commands: readonly CommandTree[];
}

/** A command with everything below it. What is hidden in its help is left out. */
export const commandTree = (command: Command, before: readonly string[] = []): CommandTree => {
  const words = [...before, command.name()];
  return {
    command: words.join(" "),
    description: command.description(),
    usage: command.usage(),
    arguments: command.registeredArguments.map((one) => ({
      name: one.name(),
      description: one.description,
      required: one.required,
      several: one.variadic,
      choices: one.argChoices ?? null,
    })),
    options: command.options
      .filter(({ hidden }) => !hidden)
      .map((one) => ({
        flags: one.flags,
        description: one.description,
        required: one.mandatory,
        default: one.defaultValue ?? null,
        choices: one.argChoices ?? null,
      })),
    commands: command.commands.map((inner) => commandTree(inner, words)),
  };
};
