import { leastFreeBytes } from "@postern/app/internal";
import type { Alerts, Housekeeping, Telemetry } from "@postern/core/ports";

/**
 * Measurements of the disk and the log of the database. A member is absent if it does not apply to
 * the database.
 */
interface StorageFacts {
  readonly walBytes?: number;
  readonly freeBytes?: number;
}

export interface StorageWatchParts {
  readonly inspect: () => Promise<StorageFacts>;
  readonly housekeeping: Pick<Housekeeping, "checkpoint">;
  readonly alerts: Alerts;
  readonly telemetry: Pick<Telemetry, "log">;
}

/** A write-ahead log has a few megabytes, unless some process reads without end. */
const largestWalBytes = 256 * 1024 * 1024;

/** The bounds at which the operator is warned; `postern doctor` uses the same. */
export const storageWarnings = { leastFreeBytes, largestWalBytes } as const;

const mebibytes = (bytes: number): number => Math.round(bytes / 1024 / 1024);

/** Reports once when a bound is passed, and once when the value is well within it again. */
const latch = (): ((passed: boolean, recovered: boolean) => "passed" | "recovered" | undefined) => {
  let warned = false;
  return (passed, recovered) => {
    if (passed && !warned) {
      warned = true;
      return "passed";
    }
    if (recovered && warned) {
      warned = false;
      return "recovered";
    }
    return undefined;
  };
};

/**
 * Warns early, and once each time, when the disk of the database is nearly full and when the
 * write-ahead log grows. Then it also writes the log back, which fails only while some process
 * reads without end.
 */
export const createStorageWatch = ({
  inspect,
  housekeeping,
  alerts,
  telemetry,
}: StorageWatchParts): (() => Promise<void>) => {
  const space = latch();
  const log = latch();
  return async () => {
    const { freeBytes, walBytes } = await inspect();
    if (freeBytes !== undefined) {
      const free_mib = mebibytes(freeBytes);
      const told = space(freeBytes < leastFreeBytes, freeBytes >= 1.5 * leastFreeBytes);
      if (told === "passed") {
        alerts.raise({
          kind: "storage.low",
          text: `Only ${free_mib} MiB are free on the disk of the database. When it is full, all writes and webhooks are refused.`,
          details: { free_mib },
        });
      }
      if (told === "recovered") telemetry.log("info", "there is room on the disk of the database again", { free_mib });
    }
    if (walBytes === undefined) return;
    const wal_mib = mebibytes(walBytes);
    const told = log(walBytes > largestWalBytes, walBytes <= largestWalBytes / 2);
    if (told === "passed") {
      alerts.raise({
        kind: "storage.log_grows",
        text: `The write-ahead log of the database has ${wal_mib} MiB: some process reads without end. Restart it.`,
        details: { wal_mib },
      });
    }
    if (told === "recovered") telemetry.log("info", "the write-ahead log of the database is small again", { wal_mib });
    if (walBytes > largestWalBytes) await housekeeping.checkpoint();
  };
};
