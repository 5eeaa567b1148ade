import type { Terminal } from "./terminal.ts";

/** Prints an answer: as JSON as it came, or what `text` says of it to a person. */
export const printAnswer = <Answer>(
  { stdout }: Terminal,
  answer: Answer,
  json: boolean | undefined,
  text: (answer: Answer) => string,
): void => void stdout.write(`${json === true ? JSON.stringify(answer) : text(answer)}\n`);
