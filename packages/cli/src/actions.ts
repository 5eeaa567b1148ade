import type { Command } from "commander";
import type { AnswerOf, OperationCall, OperationId, Operations } from "./operations.ts";
import { requireConfirmed } from "./require-confirmed.ts";
import { withOperations } from "./session.ts";
import type { Terminal } from "./terminal.ts";

/** Makes a command do this with the operations, its arguments and its options. */
export const addAction = <Given extends readonly unknown[]>(
  command: Command,
  terminal: Terminal,
  work: (operations: Operations, ...given: Given) => Promise<void>,
): void => {
  command.action(async (...given) => {
    // Commander gives what the command declares.
    await withOperations(terminal, (operations) => work(operations, ...(given as unknown as Given)));
  });
};

/** Prints an answer: as JSON as it came, or as `tell` says it to a person. */
export const printAnswer = <Answer>(
  { stdout }: Terminal,
  answer: Answer,
  json: boolean | undefined,
  tell: (answer: Answer) => unknown,
): void => void (json === true ? stdout.write(`${JSON.stringify(answer)}\n`) : tell(answer));

/** With an overlap, the old keys are good for a while, and what still uses them is found meanwhile. */
export const endsAtOnce = ({ body }: Pick<OperationCall, "body">): boolean => Object(body).overlap_seconds === 0;

/** What a command calls, and what it says of the answer. */
interface Called<Given extends readonly unknown[], Id extends OperationId> {
  /** The call that arguments and options make. It is made before anything is opened. */
  readonly call: (...given: Given) => OperationCall<Id> | Promise<OperationCall<Id>>;
  /** Says the answer to a person. */
  readonly tell: (answer: AnswerOf<Id>, ...given: Given) => unknown;
  /** What the page of help says of `--yes`, if the operation asks first. */
  readonly yes?: string | undefined;
  /** Whether this call asks. Default: each does. */
  readonly asks?: (call: Pick<OperationCall, "body">) => boolean;
  /** What `--json` prints, if the command has it. */
  readonly json?: string;
}

/** Makes a command call one operation and print its answer. */
export const addCall = <Given extends readonly unknown[], Id extends OperationId>(
  command: Command,
  terminal: Terminal,
  { call: callOf, tell, yes, asks = () => true, json }: Called<Given, Id>,
): void => {
  if (yes !== undefined) command.option("--yes", yes);
  if (json !== undefined) command.option("--json", `print ${json} as JSON`);
  command.action(async (...args) => {
    // Commander gives what the command declares.
    const given = args as unknown as Given;
    const options = command.opts<{ yes?: boolean; json?: boolean }>();
    const call = await callOf(...given);
    await withOperations(terminal, async (operations) => {
      if (yes !== undefined && asks(call)) await requireConfirmed(terminal, operations, call, options.yes);
      printAnswer(terminal, await operations.run(call), options.json, (answer) => tell(answer, ...given));
    });
  });
};
