import type { ClosableLiveness } from "../engine/open-database.ts";

/** A connection of its own that holds a lock for as long as it is open. */
export interface LockConnection {
  /** Calls `listener` when the connection is lost. */
  onLoss(listener: () => void): void;
  end(): Promise<void>;
}

/** A lock of the server for each runner. It is free as soon as the connection that took it ends. */
export interface RunnerLocks {
  /** `undefined` if another connection holds it. */
  take(runnerId: number): Promise<LockConnection | undefined>;
  /** `undefined`: the server's locks cannot tell. */
  isHeld(runnerId: number): Promise<boolean | undefined>;
}

/** Call `renew` when the server takes no writes any more: the locks are taken on another. */
export type LockLiveness = ClosableLiveness & { renew(): void };

const retakeAfterMs = 1000;

/**
 * Keeps the lock that `first` holds. If the connection drops, `take` takes the lock again as soon
 * as the server answers.
 */
const keepLock = (first: LockConnection, take: () => Promise<LockConnection | undefined>) => {
  let current: LockConnection | undefined;
  let timer: NodeJS.Timeout | undefined;
  let released = false;

  const watch = (connection: LockConnection): void => {
    current = connection;
    let lost = false;
    connection.onLoss(() => {
      if (lost || released) return;
      lost = true;
      current = undefined;
      void again();
    });
  };
  const again = async (): Promise<void> => {
    try {
      const connection = await take();
      if (connection !== undefined) {
        if (released) await connection.end();
        else watch(connection);
        return;
      }
    } catch (thrown) {
      // The server is still away. Meanwhile the heartbeat tells others that this runner lives.
      // Anything that is not an Error is a bug, so it is not hidden.
      if (!(thrown instanceof Error)) throw thrown;
    }
    if (!released) timer = setTimeout(() => void again(), retakeAfterMs).unref();
  };

  watch(first);
  return {
    /** Drops the connection, and takes the lock again on another. */
    renew: () => void current?.end(),
    release: async (): Promise<void> => {
      if (released) return;
      released = true;
      clearTimeout(timer);
      await current?.end();
    },
  };
};

/** Each runner has a connection of its own that holds a lock, and that ends with the process. */
export const lockLiveness = ({ take, isHeld }: RunnerLocks): LockLiveness => {
  const held = new Set<ReturnType<typeof keepLock>>();
  return {
    hold: async (runnerId) => {
      const connection = await take(runnerId);
      if (connection === undefined) throw new Error(`the lock of runner ${runnerId} is held already`);
      const lock = keepLock(connection, () => take(runnerId));
      held.add(lock);
      return {
        release: async () => {
          held.delete(lock);
          await lock.release();
        },
      };
    },
    isHeld,
    renew: () => {
      for (const lock of held) lock.renew();
    },
    close: async () => {
      await Promise.all([...held].map((lock) => lock.release()));
      held.clear();
    },
  };
};
