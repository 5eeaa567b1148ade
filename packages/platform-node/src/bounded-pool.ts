import { AppError } from "@postern/core";

export interface BoundedPoolOptions {
  /** How many run at once, 1 or more. */
  readonly concurrency: number;
  /** How many may wait, 0 or more. */
  readonly queue: number;
  /** How many of them may wait for the same turn, 0 or more. Default: `queue`. */
  readonly queueOfTurn?: number;
  /** How long a refused caller is told to wait. */
  readonly retryAfterSeconds: number;
  /**
   * Called when a task begins. When it has ended, the returned function tells for how many
   * milliseconds its place stays empty, if others wait for it. Default: no place stays empty.
   */
  readonly restAfter?: (() => () => number) | undefined;
}

interface Waiting {
  readonly start: () => void;
  readonly refuse: (error: AppError) => void;
}

/** The waiting tasks, in one line for each turn. The lines take turns to start a task. */
const createLines = () => {
  /** The lines in the order in which they are served next. None is empty. */
  const lines = new Map<string, Waiting[]>();
  let size = 0;

  /** The longest line. Of several equally long ones it is the one that is served last. */
  const longest = (): readonly [string, Waiting[]] | undefined =>
    [...lines].reduce<readonly [string, Waiting[]] | undefined>(
      (found, line) => (found === undefined || line[1].length >= found[1].length ? line : found),
      undefined,
    );

  return {
    get size() {
      return size;
    },
    of: (turn: string): number => lines.get(turn)?.length ?? 0,
    add: (turn: string, waiting: Waiting): void => {
      const line = lines.get(turn);
      if (line === undefined) lines.set(turn, [waiting]);
      else line.push(waiting);
      size += 1;
    },
    next: (): Waiting | undefined => {
      const [first] = lines;
      if (first === undefined) return undefined;
      const [turn, line] = first;
      lines.delete(turn);
      const next = line.shift();
      if (line.length > 0) lines.set(turn, line);
      size -= 1;
      return next;
    },
    /**
     * Takes the last one of the longest line out, if that line stays longer than `length` without
     * it.
     */
    takeLast: (length: number): Waiting | undefined => {
      const found = longest();
      if (found === undefined || found[1].length - 1 <= length) return undefined;
      size -= 1;
      return found[1].pop();
    },
  };
};

/**
 * Runs a few tasks at once and lets a bounded number wait. Turns are served in rotation, one
 * waiting task of each; within a turn, first come, first served. When no more can wait, a task of a
 * turn with few waiting tasks replaces the last task of the longest line. So a caller who asks for
 * much keeps nobody else out.
 * @throws AppError `overloaded` with `Retry-After`: at once when there is no place, and later for a
 * task that has lost its place.
 */
export const boundedPool = ({
  concurrency,
  queue,
  queueOfTurn = queue,
  retryAfterSeconds,
  restAfter = noRest,
}: BoundedPoolOptions) => {
  const lines = createLines();
  /** Tasks that run, and places that stay empty for a while. */
  let running = 0;

  const overloaded = (): AppError =>
    new AppError("overloaded", { headers: { "retry-after": String(retryAfterSeconds) } });

  const wait = (turn: string): Promise<void> => {
    if (lines.of(turn) >= queueOfTurn) throw overloaded();
    if (lines.size >= queue) {
      const displaced = lines.takeLast(lines.of(turn));
      if (displaced === undefined) throw overloaded();
      displaced.refuse(overloaded());
    }
    return new Promise<void>((start, refuse) => lines.add(turn, { start, refuse }));
  };

  /** The place goes straight to the next in line, so that nobody who comes in between overtakes it. */
  const passOn = (): void => {
    const next = lines.next();
    if (next === undefined) running -= 1;
    else next.start();
  };

  return async <Result>(task: () => Promise<Result>, turn = ""): Promise<Result> => {
    if (running < concurrency) running += 1;
    else await wait(turn);

    const restMs = restAfter();
    try {
      return await task();
    } finally {
      const ms = restMs();
      // Nobody is kept waiting by a place that nobody waits for. A timer takes at least a millisecond.
      if (lines.size === 0 || ms < 1) passOn();
      else setTimeout(passOn, ms);
    }
  };
};

const noRest = () => () => 0;
