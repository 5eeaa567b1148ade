import { inProcessWakeup } from "@postern/core/memory";
import type { Wakeup } from "@postern/core/ports";
import { type Database, readRows } from "../engine/database.ts";
import type { ServerSettings } from "../server/server.ts";
import { type Connection, query } from "./connection.ts";
import { connect, type PostgresAddress } from "./pool.ts";
import { heldLocks, lockClass } from "./postgres-liveness.ts";

/** One process sends at most 20 notifications a second. */
const leastBetweenMs = 50;
/** While no probe is answered, an idle worker does not hear of new work, so it is no rarer than its looks. */
const probeEveryMs = 30_000;
/** A connection that does not answer for this long is taken for lost, although nobody has said so. */
const silenceMs = 5_000;
const connectAgainMs = 1_000;
/** A worker that is busy for less than this is said to wait all the same. */
const busyMs = 50;

export interface PostgresWakeup extends Required<Wakeup> {
  close(): Promise<void>;
}

/** Waits on a connection of its own, and connects again when that is lost. */
const listen = (
  open: () => Promise<Connection>,
  { channel, lock }: { readonly channel: string; readonly lock: number },
  onNotification: () => void,
) => {
  let connection: Connection | undefined;
  let isWaiting = false;
  let isMarked = false;
  let isOver = false;
  let wasLost = false;
  let isListening = false;
  let timer: NodeJS.Timeout | undefined;
  let busy: NodeJS.Timeout | undefined;

  const later = (run: () => Promise<void>, ms: number): void => {
    clearTimeout(timer);
    if (!isOver) timer = setTimeout(() => void run(), ms).unref();
  };

  const lose = (lost: Connection): void => {
    if (connection !== lost) return;
    connection = undefined;
    isMarked = false;
    wasLost = true;
    void lost.end().catch(() => undefined);
    later(start, connectAgainMs);
    // From now on workers look for work by themselves.
    if (isListening) onNotification();
    isListening = false;
  };

  /** Resolves false if the connection does not answer. */
  const ask = async (asked: Connection, sql: string, values: readonly number[] = []): Promise<boolean> => {
    let silence: NodeJS.Timeout | undefined;
    const silent = new Promise<false>((resolve) => {
      silence = setTimeout(resolve, silenceMs, false);
    });
    const answered = query(asked, sql, values).then(
      () => true,
      () => false,
    );
    const isThere = await Promise.race([answered, silent]);
    clearTimeout(silence);
    if (!isThere) lose(asked);
    return isThere;
  };

  /** Holds a shared lock while this process waits, so that others see it. */
  const mark = async (): Promise<void> => {
    if (connection === undefined || isMarked === isWaiting) return;
    isMarked = isWaiting;
    const act = isWaiting ? "pg_advisory_lock_shared" : "pg_advisory_unlock_shared";
    if (await ask(connection, `SELECT ${act}(CAST(? AS integer), 0)`, [lock])) await mark();
  };

  const probe = async (): Promise<void> => {
    if (connection !== undefined && (await ask(connection, "SELECT 1"))) later(probe, probeEveryMs);
  };

  const start = async (): Promise<void> => {
    let opened: Connection;
    try {
      opened = await open();
    } catch {
      // The server is away. Meanwhile workers look for work by themselves.
      later(start, connectAgainMs);
      return;
    }
    if (isOver) {
      await opened.end();
      return;
    }
    connection = opened;
    opened.on("notification", onNotification);
    opened.on("error", () => lose(opened)).on("end", () => lose(opened));
    if (!(await ask(opened, `LISTEN "${channel}"`))) return;
    isListening = true;
    await mark();
    // What was committed while nobody listened. At first, a worker looks for work by itself.
    if (wasLost) onNotification();
    later(probe, probeEveryMs);
  };

  void start();
  return {
    reaches: (): boolean => isListening && isMarked,
    waits: (now: boolean): void => {
      isWaiting = now;
      if (now) void mark();
      else
        busy ??= setTimeout(() => {
          busy = undefined;
          void mark();
        }, busyMs).unref();
    },
    end: async (): Promise<void> => {
      isOver = true;
      clearTimeout(timer);
      clearTimeout(busy);
      const last = connection;
      connection = undefined;
      await last?.end().catch(() => undefined);
    },
  };
};

/**
 * Wakes the workers of all processes by `NOTIFY`. It is sent after the commit, by a statement of its
 * own: inside a transaction it would take a lock of the whole database until the commit is on disk.
 * Nothing is sent while no worker waits.
 */
export const postgresWakeup = (
  address: PostgresAddress,
  settings: ServerSettings,
  database: Pick<Database, "read">,
): PostgresWakeup => {
  const own = inProcessWakeup();
  const lock = lockClass(address, "waiting");
  const channel = `postern_${lock >>> 0}`;
  let listening: ReturnType<typeof listen> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isDue = false;

  const send = async (): Promise<void> => {
    isDue = false;
    timer = setTimeout(() => {
      timer = undefined;
      if (isDue) void send();
    }, leastBetweenMs).unref();
    const sql = `SELECT pg_notify(?, '') WHERE EXISTS (${heldLocks})`;
    // If it fails, the work is found by the next look for it.
    await readRows(database, sql, [channel, lock >>> 0, 0]).catch(() => undefined);
  };

  return {
    notify: () => {
      own.notify();
      if (timer === undefined) void send();
      else isDue = true;
    },
    subscribe: (listener) => {
      const end = own.subscribe(listener);
      listening ??= listen(
        () => connect(address, { ...settings, statementTimeoutMs: 0 }),
        { channel, lock },
        own.notify,
      );
      return end;
    },
    waits: (isWaiting) => listening?.waits(isWaiting),
    reaches: () => listening?.reaches() ?? false,
    close: async () => {
      clearTimeout(timer);
      await listening?.end();
    },
  };
};
