import type { OperationCall, OperationId, Operations } from "./operations.ts";
import { CommandError, exitCodes, isConfirmed, type Terminal } from "./terminal.ts";

/** For a server that is older than its operations' questions. */
const usualQuestion = "Do this? It may not be possible to undo it.";

/**
 * Asks the person before an operation that cannot be undone, in the words of the operation.
 * @param params What the parameters of its path are called here, such as a user's address for an id.
 * @throws CommandError `notConfirmed`
 */
export const requireConfirmed = async <Id extends OperationId>(
  terminal: Terminal,
  { question }: Operations,
  { operation, params }: Pick<OperationCall<Id>, "operation" | "params">,
  yes: boolean | undefined,
): Promise<void> => {
  if (yes === true) return;
  const names = new Map<string, unknown>(Object.entries(params ?? {}));
  const asked = (await question(operation)) ?? usualQuestion;
  const words = asked.replaceAll(/\{(\w+)\}/g, (written, name: string) => String(names.get(name) ?? written));
  if (await isConfirmed(terminal, words)) return;
  // At a terminal, the question stands there already.
  const why = terminal.stdin.isTTY === true ? "" : `${words} `;
  throw new CommandError(exitCodes.notConfirmed, `${why}Nothing was changed; add --yes to do it without being asked.`);
};
