import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { Account, Field, ServerFigures } from "./attack.ts";
import type { Place } from "./send.ts";

export interface FieldFacts extends Place {
  readonly accounts: readonly Account[];
  readonly props: Readonly<Record<string, string>>;
  readonly seconds: number;
  /** The addresses from which it attacks. */
  readonly addresses: readonly string[];
}

const eightFrom = (first: number): readonly string[] => Array.from({ length: 8 }, (_, n) => `127.0.0.${first + n}`);

export const attackAddresses = eightFrom(2);
/**
 * For an attack that only warms the server up: a server slows down an address that has attacked
 * before, which must not count as warmth.
 */
export const warmingAddresses = eightFrom(52);

const waitForConnectionMs = 3_000;

/** Opens a field. The time of the attack begins with it. */
export const openField = (
  { port, ca, accounts, props, seconds, addresses }: FieldFacts,
  besieger: { endServer(): Promise<void>; inspect(): Promise<ServerFigures> },
): Field & { close(): void } => {
  const endsAt = performance.now() + seconds * 1000;
  const sockets = new Set<Socket>();
  const left = (): number => Math.max(0, endsAt - performance.now());
  const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, Math.min(ms, left())));
  return {
    port,
    ca,
    addresses,
    accounts,
    props,
    endServer: besieger.endServer,
    inspect: besieger.inspect,
    isOver: () => left() === 0,
    pause,
    untilOver: () => pause(left()),
    connect: async (localAddress) => {
      const socket = connect({ port, host: "127.0.0.1", localAddress });
      sockets.add(socket);
      socket.setNoDelay(true);
      // The server is meant to cut connections; `close` tells the attack about it.
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
