/**
 * Ends the process at a SIGTERM or SIGINT that comes before anything else listens to it: while modules
 * are loaded, or tables are changed, which goes on at the next start. The first process of a container
 * has no other way to end: the kernel drops signals that it does not listen to.
 */
export const endAtEarlySignal = (): void => {
  for (const [signal, exitCode] of [
    ["SIGTERM", 0],
    ["SIGINT", 130],
  ] as const) {
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) process.exit(exitCode);
    });
  }
};
