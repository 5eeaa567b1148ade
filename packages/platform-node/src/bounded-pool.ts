import { AppError } from "@postern/core";

export interface BoundedPoolOptions {
  /** How many run at once, 1 or more. */
  readonly concurrency: number;
  /** How many may wait, 0 or more. */
  readonly queue: number;
  /** How many of them may come from the same network, 0 or more. Default: `queue`. */
  readonly queueOfNetwork?: number;
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

/** The waiting tasks, in one line for each network. The lines start a task in rotation. */
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
    of: (network: string): number => lines.get(network)?.length ?? 0,
    add: (network: string, waiting: Waiting): void => {
      const line = lines.get(network);
      if (line === undefined) lines.set(network, [waiting]);
      else line.push(waiting);
      size += 1;
    },
    next: (): Waiting | undefined => {
      const [first] = lines;
      if (first === undefined) return undefined;
      const [network, line] = first;
      lines.delete(network);
      const next = line.shift();
      if (line.length > 0) lines.set(network, line);
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
 * Runs a few tasks at once and lets a bounded number wait. Networks are served in rotation, one
 * waiting task of each; within a network, first come, first served. When no more can wait, a task of
 * a network with few waiting tasks replaces the last task of the longest line. So a caller who asks for
 * much keeps nobody else out.
 * @throws AppError `overloaded` with `Retry-After`: at once when there is no place, and later for a
 * task that has lost its place.
 */
export const boundedPool = ({
  concurrency,
  queue,
  queueOfNetwork = queue,
  retryAfterSeconds,
  restAfter = noRest,
}: BoundedPoolOptions) => {
  const lines = createLines();
  /** Tasks that run, and places that stay empty for a while. */
  let running = 0;

  const overloaded = (): AppError =>
    new AppError("overloaded", { headers: { "retry-after": String(retryAfterSeconds) } });

  const wait = (network: string): Promise<void> => {
    if (lines.of(network) >= queueOfNetwork) throw overloaded();
    if (lines.size >= queue) {
      const displaced = lines.takeLast(lines.of(network));
      if (displaced === undefined) throw overloaded();
      displaced.refuse(overloaded());
    }
    return new Promise<void>((start, refuse) => lines.add(network, { start, refuse }));
  };

  /** The place goes straight to the next in line, so that nobody who comes in between overtakes it. */
  const passOn = (): void => {
    const next = lines.next();
    if (next === undefined) running -= 1;
    else next.start();
  };

  return async <Result>(task: () => Promise<Result>, network = ""): Promise<Result> => {
    if (running < concurrency) running += 1;
    else await wait(network);

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
