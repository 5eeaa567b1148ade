import type { ServerResponse } from "node:http";

const limitMs = 30_000;

/** Cuts a caller that does not take in its answer: bytes that are not delivered stay in memory. */
export const cutSlowReader = (res: ServerResponse): void => {
  // Almost every answer fits into the kernel's buffer; then there is nothing to watch.
  if (res.writableFinished || (res.socket?.writableLength ?? 0) === 0) return;
  const timer = setTimeout(() => res.destroy(), limitMs).unref();
  res.once("close", () => clearTimeout(timer));
};
