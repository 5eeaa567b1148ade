import type { RefusalRecorder } from "../../../packages/core/src/inbox/refusal-recorder.ts";

export { refusalsKept, refusalsKeptMs } from "../../../packages/core/src/inbox/refusal-recorder.ts";

/** A recorder that stores no refused delivery. */
export const createRefusalRecorder = (): RefusalRecorder => ({
  note: () => undefined,
  flush: () => Promise.resolve(),
});
