/** @throws Error with the code `UNSUITABLE_SERVER`. */
export const unsuitable = (message: string): Error => Object.assign(new Error(message), { code: "UNSUITABLE_SERVER" });

/** The code of the error when no server takes writes, which a failover may change. */
export const noPrimary = "NO_PRIMARY";

/** How a driver connects. */
interface Opening<Host, Connection> {
  open(host: Host): Promise<Connection>;
  /** Whether the server takes writes. @throws Error when it does not suit at all. */
  takesWrites(connection: Connection): Promise<boolean>;
  end(connection: Connection): Promise<void>;
}

/**
 * A connection to the first host that takes writes.
 * @throws the error of the last host that could not be used, or Error with the code `NO_PRIMARY` if that
 *   one takes no writes.
 */
export const firstWriter = async <Host, Connection>(
  hosts: readonly Host[],
  { open, takesWrites, end }: Opening<Host, Connection>,
): Promise<Connection> => {
  let failure: unknown;
  for (const host of hosts) {
    let connection: Connection | undefined;
    try {
      connection = await open(host);
      if (await takesWrites(connection)) return connection;
      const why =
        hosts.length === 1
          ? "the server takes no writes: let the URL lead to the primary"
          : "no server of the URL takes writes: those that answer are replicas";
      failure = Object.assign(new Error(why), { code: noPrimary });
    } catch (thrown) {
      failure = thrown;
    }
    if (connection !== undefined) await end(connection).catch(() => undefined);
  }
  throw failure;
};
