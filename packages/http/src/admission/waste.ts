import type { HttpSettings } from "../options.ts";
import { createRate } from "./rate.ts";

/** What an address may owe before its new connections are closed. It pays off as much in a minute. */
const perMinute = 60;

/**
 * What each kind of waste costs. A connection that ends without an answer may be the preconnect of
 * a browser, of which an office makes many. One that its caller leaves while its request waits is
 * often one of hundreds of a client that stops. Node parses 64 KiB in one go, which can hold 1,300
 * requests or 10,000 chunks, whatever is answered; so two such connections a minute are enough.
 */
const prices = { unanswered: 0.2, left: 0.02, smallChunk: 0.01, pipelined: 30 } as const;

/**
 * Counts what no honest client does often. To take a connection costs as much as a small answer. So
 * an address that opens connections only to break them off gets no further one until it has paid.
 */
export interface Waste {
  /** Returns whether the address now owes too much. */
  note(network: string, kind: keyof typeof prices): boolean;
  /** Whether to take a new connection. Counts those that are not taken. */
  admits(network: string): boolean;
}

export const createWaste = ({ telemetry }: Pick<HttpSettings, "telemetry">): Waste => {
  const rate = createRate(perMinute, (address, times) =>
    telemetry.log("warn", "connections wasted: new ones of this address are closed at once", { address, times }),
  );
  const closed = (by: number): void => telemetry.count("http_connections_refused_total", { reason: "waste" }, by);
  closed(0);
  return {
    note: (network, kind) => rate.note(network, prices[kind]),
    admits: (network) => {
      if (!rate.isBeyond(network)) return true;
      closed(1);
      return false;
    },
  };
};
