import type { AbortSignalLike } from "./runtime.ts";

/** What `work` returns, unless `signal` is aborted before. Then it rejects with the signal's reason. */
export const untilAborted = async <Result>(signal: AbortSignalLike, work: () => Promise<Result>): Promise<Result> => {
  if (signal.aborted) throw signal.reason;
  let onAbort = (): void => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    onAbort = () => reject(signal.reason);
    signal.addEventListener("abort", onAbort);
  });
  try {
    return await Promise.race([work(), aborted]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
};
