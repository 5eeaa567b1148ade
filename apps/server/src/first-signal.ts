/**
 * A signal this soon after the first is the same one. systemd and terminals stop a whole group of
 * processes. Their signal reaches the server directly, and once more through the script that started
 * it.
 */
const sameSignalMs = 1_000;

/**
 * Resolves with the first SIGINT or SIGTERM. `onSecond` is called when somebody asks again, more
 * than a second later.
 */
export const firstSignal = (onSecond: () => void): Promise<void> =>
  new Promise((resolve) => {
    let firstAt: number | undefined;
    const onSignal = (): void => {
      firstAt ??= performance.now();
      resolve();
      if (performance.now() - firstAt > sameSignalMs) onSecond();
    };
    process.on("SIGINT", onSignal);
    process.on("SIGTERM", onSignal);
  });
