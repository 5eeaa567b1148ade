import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { Account, Field } from "./attack.ts";

export interface FieldFacts {
  readonly port: number;
  readonly accounts: readonly Account[];
  readonly seconds: number;
}

export const attackAddresses: readonly string[] = Array.from({ length: 8 }, (_, n) => `127.0.0.${n + 2}`);

const waitForConnectionMs = 3_000;

/** Opens a field; the time of the attack begins with it. */
export const openField = (
  { port, accounts, seconds }: FieldFacts,
  endServer: () => Promise<void>,
): Field & { close(): void } => {
  const endsAt = performance.now() + seconds * 1000;
  const sockets = new Set<Socket>();
  const left = (): number => Math.max(0, endsAt - performance.now());
  const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, Math.min(ms, left())));
  return {
    port,
    addresses: attackAddresses,
    accounts,
    endServer,
    isOver: () => left() === 0,
    pause,
    untilOver: () => pause(left()),
    connect: async (localAddress) => {
      const socket = connect({ port, host: "127.0.0.1", localAddress });
      sockets.add(socket);
      socket.setNoDelay(true);
      // A cut is what the server is meant to do; `close` tells the attack about it.
      socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
      const timer = setTimeout(() => socket.destroy(), waitForConnectionMs);
      await Promise.race([once(socket, "connect"), once(socket, "close")]).catch(() => undefined);
      clearTimeout(timer);
      return socket;
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
};
