import { createLine, type Line, type Share } from "@postern/core/parts";
import type { HttpSettings } from "../options.ts";
import { clock } from "./clock.ts";
import { createOverload } from "./overload.ts";
import { turns } from "./turns.ts";

/** What is asked for: this decides what a request waits for, and why it is refused. */
export type RequestKind = "health" | "api" | "webhook" | "page";

/** What an admitted request holds until it has been answered. */
export interface Ticket {
  /**
   * Waits for something, such as a body, without a place among the requests in flight.
   * @throws AppError `overloaded` if there is no place afterwards, and none in time.
   */
  without<Result>(wait: () => Promise<Result>): Promise<Result>;
  release(): void;
}

/** The only decision on whether, and when, a request runs. */
export interface Admission {
  /**
   * In this order: an overloaded process refuses, then the request waits for its turn of the event
   * loop, then a request of the API for a place among those in flight. Only the last holds anything,
   * so requests never wait for each other without end.
   * @throws AppError `overloaded`, before anything else is done for the request.
   */
  admit(network: string, kind: RequestKind): Ticket | Promise<Ticket>;
}

/** As many as there are connections could wait. */
const mostWaiting = 10_000;

export const createAdmission = (settings: HttpSettings): Admission => {
  const { maxInFlight, maxInFlightPerAddress, maxSlotWaitMs: waitMs } = settings;
  const overload = createOverload(settings);
  const inFlight = createLine(
    {
      most: maxInFlight,
      mostOfKey: maxInFlightPerAddress,
      waiting: waitMs === 0 ? 0 : mostWaiting,
      waitMs,
      refusal: () => overload.refusal("api", "in_flight"),
    },
    clock,
  );
  return {
    admit: (network, kind) => {
      if (kind === "health") return turns.beginHealthCheck(network)?.then(() => free) ?? free;
      if (kind !== "page") overload.check(kind);
      const turn = turns.begin(network);
      if (kind !== "api") return turn?.then(() => free) ?? free;
      const take = (): Ticket | Promise<Ticket> => {
        const share = inFlight.take(network);
        return share instanceof Promise
          ? share.then((taken) => new HeldPlace(inFlight, network, taken))
          : new HeldPlace(inFlight, network, share);
      };
      return turn?.then(take) ?? take();
    },
  };
};

/** Webhooks, pages and health checks take no place, so there is none to give back. */
const free: Ticket = { without: (wait) => wait(), release: () => undefined };

class HeldPlace implements Ticket {
  readonly #line: Line;
  readonly #network: string;
  #share: Share | undefined;

  constructor(line: Line, network: string, share: Share) {
    this.#line = line;
    this.#network = network;
    this.#share = share;
  }

  async without<Result>(wait: () => Promise<Result>): Promise<Result> {
    this.release();
    const result = await wait();
    this.#share = await this.#line.take(this.#network);
    return result;
  }

  release(): void {
    this.#share?.release();
    this.#share = undefined;
  }
}
