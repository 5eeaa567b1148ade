import { readdirSync } from "node:fs";
import { setPriority } from "node:os";

/**
 * Gives all threads of a process a nice value. On Linux a nice value belongs to a thread, and
 * `setPriority` with a process sets only its main thread: the threads of V8, which collect garbage
 * and compile, would keep what they have.
 * @throws Error where the system does not allow it.
 */
export const setPriorityOfThreads = (pid: number, nice: number): void => {
  for (const thread of threadsOf(pid)) setPriority(thread, nice);
};

const threadsOf = (pid: number): readonly number[] => {
  try {
    return readdirSync(`/proc/${pid}/task`).map(Number);
  } catch {
    return [pid];
  }
};
