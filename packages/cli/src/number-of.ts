import { CommandError, exitCodes } from "./terminal.ts";

/** @throws CommandError when the text of an option is not a number. */
export const numberOf = (option: string, text: string): number => {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
  throw new CommandError(exitCodes.usage, `${option} takes a number, not ${text}.`);
};
