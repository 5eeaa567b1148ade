import { AppError } from "@postern/core";
import { checkValues, type Statement, type Value } from "./database.ts";

/** Most reads of one text that one statement answers. */
const mostShared = 32;

/** A read that waits for its answer. */
export interface WaitingRead<Answer> {
  readonly values: readonly Value[];
  readonly columns: readonly string[];
  readonly resolve: (answer: Answer) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Shares statements between reads of the same text that arrive in the same moment. `answer` resolves each
 * read of a batch. At most `mostRunning` statements run at once. Reads that come meanwhile wait, and share
 * the next one: so the more reads come, the fewer statements each needs. Every read begins after it was
 * asked for, so it sees everything that was committed by then.
 */
export const sharedReads = <Answer>(
  mostRunning: number,
  answer: (sql: string, batch: readonly WaitingRead<Answer>[]) => Promise<void>,
): ((statement: Statement, columns: readonly string[]) => Promise<Answer>) => {
  const waiting = new Map<string, WaitingRead<Answer>[]>();
  let running = 0;
  let scheduled = false;

  const run = async (sql: string, batch: readonly WaitingRead<Answer>[]): Promise<void> => {
    running += 1;
    try {
      await answer(sql, batch);
    } catch (thrown) {
      const isAway = thrown instanceof AppError && thrown.code === "unavailable";
      // One of the reads may be at fault, or have taken all of the time. Run each alone.
      if (batch.length > 1 && !isAway) for (const read of batch) void run(sql, [read]);
      else for (const { reject } of batch) reject(thrown);
    } finally {
      running -= 1;
      start();
    }
  };

  /** Starts waiting reads, the oldest text first. */
  const start = (): void => {
    for (const [sql, reads] of waiting) {
      if (running >= mostRunning) return;
      const batch = reads.splice(0, mostShared);
      if (reads.length === 0) waiting.delete(sql);
      void run(sql, batch);
    }
  };

  return ({ sql, values }, columns) =>
    new Promise((resolve, reject) => {
      checkValues(values);
      const reads = waiting.get(sql) ?? [];
      waiting.set(sql, reads);
      reads.push({ values, columns, resolve, reject });
      if (scheduled) return;
      scheduled = true;
      // Start after everything else that has already arrived.
      setImmediate(() => {
        scheduled = false;
        start();
      });
    });
};
