import type { ReadyKind, RunnerRecord } from "@postern/core/ports";

/**
 * The kinds of ready jobs that no living runner has a handler for. Their jobs wait until a process
 * with the handler starts. A runner whose kinds cannot be read lists none. While one lives, the
 * result is empty.
 */
export const kindsWithoutHandler = (
  ready: readonly ReadyKind[],
  runners: readonly Pick<RunnerRecord, "kinds">[],
): readonly ReadyKind[] => {
  if (runners.some(({ kinds }) => kinds.length === 0)) return [];
  const known = new Set(runners.flatMap(({ kinds }) => kinds));
  return ready.filter(({ kind }) => !known.has(kind));
};
