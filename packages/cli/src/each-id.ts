import { CommandError, counted, exitCodes, type Terminal } from "./terminal.ts";

/** What a command does with each of its ids. */
interface EachId<Done> {
  readonly ids: readonly string[];
  readonly json: boolean | undefined;
  readonly act: (id: string) => Promise<Done>;
  /** The line for a person. */
  readonly line: (id: string, done: Done) => string;
  /** `job`, `event`. */
  readonly what: string;
  /** What became of those that failed: `were not discarded`. */
  readonly left: string;
}

/**
 * Does the same with each id. If there are several, it reports a failure and goes on with the others.
 * @throws CommandError if some of them failed.
 */
export const actOnEach = async <Done>(
  terminal: Terminal,
  { ids, json, act, line, what, left }: EachId<Done>,
): Promise<void> => {
  const items: Done[] = [];
  for (const id of ids) {
    try {
      const done = await act(id);
      items.push(done);
      if (json !== true) terminal.stdout.write(`${line(id, done)}\n`);
    } catch (thrown) {
      if (ids.length === 1) throw thrown;
      terminal.stderr.write(`${id}: ${thrown instanceof Error ? thrown.message : String(thrown)}\n`);
    }
  }
  if (json === true) terminal.stdout.write(`${JSON.stringify({ items })}\n`);
  const failed = ids.length - items.length;
  if (failed > 0) throw new CommandError(exitCodes.someFailed, `${failed} of ${counted(ids.length, what)} ${left}.`);
};
