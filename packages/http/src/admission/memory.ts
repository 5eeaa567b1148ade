import { AppError, type Line, type Share } from "@postern/core";
import { createLine } from "@postern/core/internal";
import type { HttpSettings } from "../options.ts";
import { clock } from "./turns.ts";

/** A body is small up to this length. */
export const smallBytes = 64 * 1024;

export type BodyMemory = ReturnType<typeof createBodyMemory>;

interface BodyMemoryLimits {
  readonly total: number;
  readonly perAddress: number;
  /** How long a body may wait. With 0, none waits. */
  readonly waitMs: number;
}

/**
 * Proven addresses that are remembered; the one that proved itself longest ago is forgotten first.
 */
const mostProven = 1_000;

/**
 * Bounds the bytes of bodies in memory over all connections. A body that finds no room waits and
 * holds none meanwhile, so bodies never wait for each other without end. Addresses take turns.
 * An eighth is kept for small bodies, and a quarter for addresses that have sent a webhook with a
 * valid signature. So strangers with large bodies keep neither of them waiting.
 */
export const createBodyMemory = ({ total, perAddress, waitMs }: BodyMemoryLimits) => {
  // What has come of a body that waits is in memory, too, so few may wait.
  const waiting = waitMs === 0 ? 0 : Math.max(8, Math.floor(total / 4 / smallBytes));
  const part = (most: number, share: number) => {
    const mostOfKey = Math.min(most, share);
    const limits = { most, mostOfKey, waiting, waitingOfKey: Math.ceil(waiting / 2), waitMs, fairCost: smallBytes };
    return { mostOfKey, line: createLine({ ...limits, refusal: noRoom }, clock) };
  };
  const eighth = Math.floor(total / 8);
  const small = part(eighth, Math.ceil(eighth / 4));
  const proven = part(2 * eighth, perAddress);
  const general = part(total - 3 * eighth, perAddress);
  const known = new Set<string>();

  return {
    /**
     * @throws AppError `overloaded`, at once for more than an address may have and if too many wait,
     *   and from the promise if the body has waited for too long.
     */
    take: (network: string, bytes: number): Share | Promise<Share> => {
      if (bytes > general.mostOfKey) throw noRoom();
      // It waits in the first of them: a small body with the small ones, a sender with its like.
      const parts = [
        ...(bytes <= Math.min(smallBytes, small.mostOfKey) ? [small] : []),
        ...(known.has(network) && bytes <= proven.mostOfKey ? [proven] : []),
        general,
      ];
      for (const { line } of parts) {
        const share = line.takeFree(network, bytes);
        if (share !== undefined) return share;
      }
      return (parts[0] ?? general).line.take(network, bytes);
    },
    /** From now on the address may use the part that is kept for proven senders. */
    prove: (network: string): void => {
      if (known.has(network)) return;
      const [oldest] = known;
      if (known.size >= mostProven && oldest !== undefined) known.delete(oldest);
      known.add(network);
    },
    /** The most bytes that a body may take. */
    most: general.mostOfKey,
    /** The bytes that are taken now. */
    get held(): number {
      return small.line.held + proven.line.held + general.line.held;
    },
  };
};

const noRoom = (): AppError =>
  new AppError("overloaded", {
    detail: "Too many large requests at once; send it again in a moment.",
    headers: { "retry-after": "1" },
  });

type Limits = Pick<HttpSettings, "memoryLimitBytes">;

/** The bytes that one network may leave unread. */
export const unreadOfNetwork = ({ memoryLimitBytes }: Limits): number => Math.ceil(memoryLimitBytes / 4);

/**
 * The gate before the work of a request whose turn has come. To make another answer would take several
 * times its length in memory, and it would probably be refused at the end, so an address with much unread
 * comes no further.
 * @throws AppError `overloaded`.
 */
export const checkUnread = (unread: Pick<Line, "heldBy">, network: string, limits: Limits): void => {
  if (unread.heldBy(network) > unreadOfNetwork(limits) / 2) throw tooMuchUnread();
};

/**
 * The bytes of large answers that wait for their readers: as many as of bodies. No answer waits for
 * room among them.
 */
export const createUnread = (limits: Limits): Line =>
  createLine({ most: limits.memoryLimitBytes, mostOfKey: unreadOfNetwork(limits), refusal: tooMuchUnread }, clock);

/** The fault of a caller that asks for more while its answers wait to be read. */
export const tooMuchUnread = (): AppError =>
  new AppError("overloaded", {
    detail: "Too many answers wait to be read at the moment; read those you have asked for, then send it again.",
    headers: { "retry-after": "1" },
  });
