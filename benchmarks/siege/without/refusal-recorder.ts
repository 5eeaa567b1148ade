import type { RefusalRecorder } from "../../../packages/core/src/inbox/refusal-recorder.ts";

export { refusalsKept, refusalsKeptMs } from "../../../packages/core/src/inbox/refusal-recorder.ts";

/** Keeps nothing of what is refused. */
export const createRefusalRecorder = (): RefusalRecorder => ({
  note: () => undefined,
  flush: () => Promise.resolve(),
});
