import { AppError } from "@postern/core";
import { createFairQueue, type FairQueue } from "@postern/core/parts";
import { type BodyRoom, createBodyRoom, type TakenRoom } from "./body-room.ts";
import { createShares, type Shares } from "./shares.ts";

/** The bytes of one body. */
export interface BodyBytes {
  /**
   * Takes memory until there is enough for `total` bytes. `undefined` if it was free, or if the body
   * has as much already. Otherwise the body waits and holds none, and the promise resolves when it
   * holds `total`. Meanwhile `present` bytes of it are in memory.
   * @throws AppError `overloaded`, at once if there can never be room or if too many bytes wait, and
   *   from the promise if the body has waited for too long.
   */
  take(total: number, present: number): Promise<void> | undefined;
  /** Gives back everything that was taken. A body that waits no longer does. */
  release(): void;
}

/**
 * Bounds the body bytes in memory over all connections, so that no caller takes what others need.
 * `BodyRoom` says who may use which part. A body that finds no room waits. It holds nothing
 * meanwhile, so bodies never wait for each other without end. Addresses that wait take turns.
 */
export interface ByteBudget {
  open(address: string): BodyBytes;
  /** From now on the address may use the part that is kept for proven senders. */
  prove(address: string): void;
  /** The bytes that are taken now. */
  readonly held: number;
  /** The most bytes that a body of an address may take. */
  mostOf(address: string): number;
  /** Whether any body waits. */
  readonly isAwaited: boolean;
}

/** A body is small up to this length. */
export const smallBytes = 64 * 1024;

export interface ByteBudgetLimits {
  readonly total: number;
  readonly perAddress: number;
  /** How long a body may wait. With 0, none waits. */
  readonly waitMs: number;
}

export const createByteBudget = (limits: ByteBudgetLimits): ByteBudget => {
  const { total, waitMs } = limits;
  const room = createBodyRoom(limits);
  const lines: Lines = {
    room,
    small: createFairQueue(),
    large: createFairQueue(),
    waiting: createShares({ total: Math.floor(total / 4), perAddress: Math.ceil(total / 8) }),
    waitMs,
  };
  return {
    open: (address) => new TakenBytes(lines, address),
    prove: (address) => {
      if (room.prove(address)) beginNext(lines);
    },
    get held() {
      return room.held;
    },
    mostOf: room.mostOf,
    get isAwaited() {
      return lines.small.waiting + lines.large.waiting > 0;
    },
  };
};

interface WaitingBody {
  readonly total: number;
  readonly present: number;
  readonly timer: ReturnType<typeof setTimeout>;
  begin(): void;
}

/** The bodies that wait. Small ones have a line of their own, because a part of the room is theirs. */
interface Lines extends Pick<ByteBudgetLimits, "waitMs"> {
  readonly room: BodyRoom;
  readonly small: FairQueue<WaitingBody>;
  readonly large: FairQueue<WaitingBody>;
  /** What is in memory of bodies that wait. It is not part of the room. */
  readonly waiting: Shares;
}

/** Begins bodies that fit now. */
const beginNext = ({ room, small, large }: Lines): void => {
  for (const line of [small, large]) {
    if (line.waiting === 0) continue;
    /**
     * Whether an earlier body waits only for what others hold. Later ones then leave it the general
     * part, or it might never begin.
     */
    let isOwed = false;
    const mayBegin = (address: string, { total }: WaitingBody): boolean => {
      const fit = room.fits(address, total, line === small, isOwed);
      isOwed ||= fit === "full";
      return fit === "yes";
    };
    for (let next = line.next(mayBegin); next !== undefined; next = line.next(mayBegin)) {
      next.item.begin();
      isOwed = false;
    }
  }
};

/** What one body has taken. Every request has one, so it is a class, because closures cost more. */
class TakenBytes implements BodyBytes, TakenRoom {
  small = 0;
  general = 0;
  proven = 0;
  readonly #lines: Lines;
  readonly #address: string;
  #waits: WaitingBody | undefined;

  constructor(lines: Lines, address: string) {
    this.#lines = lines;
    this.#address = address;
  }

  take(total: number, present: number): Promise<void> | undefined {
    const { room } = this.#lines;
    const isSmall = total <= smallBytes;
    const line = isSmall ? this.#lines.small : this.#lines.large;
    const more = total - this.small - this.general - this.proven;
    if (more <= 0) return undefined;
    if (line.waiting > 0 || room.fits(this.#address, more, isSmall, false) !== "yes") {
      return this.#wait(line, total, present);
    }
    room.take(this.#address, more, isSmall, this);
    return undefined;
  }

  release(): void {
    const waits = this.#waits;
    if (waits === undefined) this.#lines.room.release(this.#address, this);
    else {
      this.#leave(waits);
      this.#lines.small.remove(this.#address, waits);
      this.#lines.large.remove(this.#address, waits);
    }
    beginNext(this.#lines);
  }

  /** Holds nothing until all of it can be held. */
  #wait(line: FairQueue<WaitingBody>, total: number, present: number): Promise<void> {
    const { room, small, waiting, waitMs } = this.#lines;
    const address = this.#address;
    room.release(address, this);
    if (waitMs === 0 || total > room.mostOf(address) || !waiting.take(address, present)) throw noRoom();
    const begun = new Promise<void>((resolve, reject) => {
      const waits: WaitingBody = {
        total,
        present,
        begin: () => {
          this.#leave(waits);
          room.take(address, total, line === small, this);
          resolve();
        },
        timer: setTimeout(() => {
          this.release();
          reject(noRoom());
        }, waitMs),
      };
      this.#waits = waits;
      line.add(address, waits);
    });
    beginNext(this.#lines);
    return begun;
  }

  #leave({ present, timer }: WaitingBody): void {
    this.#waits = undefined;
    clearTimeout(timer);
    this.#lines.waiting.release(this.#address, present);
  }
}

const noRoom = (): AppError =>
  new AppError("overloaded", {
    detail: "Too many large requests at once; send it again in a moment.",
    headers: { "retry-after": "1" },
  });
