/** What tells one start of a server from another. */
export interface Standing {
  /** The server: a name that no other server has. */
  readonly server: string;
  /** When it was started, in milliseconds of any clock that goes on evenly. */
  readonly startedAt: number;
}

/** A server that was used within this time is known. */
const familiarMs = 60_000;
/** What the clocks may differ by. A server that was started again is back later than that. */
const noiseMs = 1_500;

/**
 * Notices that connections lead to another server than before, or to one that was started again. After
 * a failover or a restore it may lack the last commits, also those that reserved numbers. So nothing
 * that this process remembers of the database holds any more.
 */
export const createServerWatch = (monotonic: () => number = () => performance.now()) => {
  const servers = new Map<string, { startedAt: number; seenAt: number }>();
  const serverOf = new WeakMap<object, string>();
  let onOther: () => void = () => undefined;

  return {
    /** Calls `listener` before a connection to another server is used. */
    onOther: (listener: () => void): void => {
      onOther = listener;
    },
    /** Notes where a new connection leads. Call it before its first use. */
    opened: (connection: object, { server, startedAt }: Standing): void => {
      const now = monotonic();
      const known = servers.get(server);
      const isFirst = servers.size === 0;
      const isFamiliar =
        known !== undefined && now - known.seenAt <= familiarMs && startedAt <= known.startedAt + noiseMs;
      // An older start is noise: the server cannot have been started in the past since.
      servers.set(server, { startedAt: isFamiliar ? known.startedAt : startedAt, seenAt: now });
      serverOf.set(connection, server);
      if (!isFirst && !isFamiliar) onOther();
    },
    /** Notes that a connection is used. */
    used: (connection: object): void => {
      const known = servers.get(serverOf.get(connection) ?? "");
      if (known !== undefined) known.seenAt = monotonic();
    },
  };
};

export type ServerWatch = ReturnType<typeof createServerWatch>;
