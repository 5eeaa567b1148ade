import type { Argument, Command, Option } from "commander";

/** What comes at a place of a line: nothing, a file, one of some words, or a text that only you know. */
export type Value = "nothing" | "file" | "text" | readonly string[];

/** An option as a shell completes it. */
export interface Flag {
  /** Such as `--version` and `-V`. */
  readonly names: readonly string[];
  readonly description: string;
  readonly value: Value;
}

/** A command as a shell completes it: what may come after its name. */
export interface Place {
  /** The words of the line so far, such as `postern events list`. */
  readonly path: string;
  readonly commands: readonly { readonly name: string; readonly description: string }[];
  readonly flags: readonly Flag[];
  readonly argument: Value;
}

/** The names that commands give to an argument which is a file. */
const fileNames = ["file", "path", "body"];

const valueAfter = ({ argChoices, required, optional, flags }: Option): Value => {
  if (argChoices !== undefined) return argChoices;
  if (!(required || optional)) return "nothing";
  const [, name = ""] = /[<[]([\w-]+)/.exec(flags) ?? [];
  return fileNames.includes(name) ? "file" : "text";
};

const flagOf = (option: Option): Flag => ({
  names: [option.long, option.short].filter((name) => name !== undefined),
  description: option.description,
  value: valueAfter(option),
});

/** All arguments together: a shell that counted them would have to know which words are values of options. */
const argumentOf = (given: readonly Argument[]): Value => {
  const choices = given.flatMap(({ argChoices = [] }) => argChoices);
  if (choices.length > 0) return choices;
  if (given.some((one) => fileNames.includes(one.name()))) return "file";
  return given.length > 0 ? "text" : "nothing";
};

/** A command and all commands below it, as its own help lists them. `before` are the words before its name. */
export const placesOf = (command: Command, before: readonly string[] = []): readonly Place[] => {
  const words = [...before, command.name()];
  const help = command.createHelp();
  const shown = help.visibleCommands(command);
  const place = {
    path: words.join(" "),
    commands: shown.map((one) => ({ name: one.name(), description: one.description() })),
    flags: help.visibleOptions(command).map(flagOf),
    argument: argumentOf(command.registeredArguments),
  };
  // `help` is not among `commands`: after it come the same words as without it.
  return [place, ...shown.filter((one) => command.commands.includes(one)).flatMap((one) => placesOf(one, words))];
};

/** Every option of every place, by the words before its value: `postern events list --state`. */
export const valuesOf = (
  places: readonly Place[],
): readonly { readonly words: string; readonly value: Exclude<Value, "nothing"> }[] =>
  places.flatMap(({ path, flags }) =>
    flags.flatMap(({ names, value }) =>
      value === "nothing" ? [] : names.map((name) => ({ words: `${path} ${name}`, value })),
    ),
  );

/** Whether a value is one of some words. */
export const isChoice = (value: Value): value is readonly string[] => typeof value !== "string";
