import type { RefusalRecorder } from "@postern/inbox/internal";

export { refusalsKept, refusalsKeptMs } from "@postern/inbox/internal";

/** A recorder that stores no refused delivery. */
export const createRefusalRecorder = (): RefusalRecorder => ({
  note: () => undefined,
  flush: () => Promise.resolve(),
});
