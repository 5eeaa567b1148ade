import { createMinuteCounts, type MinuteCounts } from "./minute-counts.ts";
import type { HttpSettings } from "./options.ts";

/**
 * Slows down the new connections of an address that wastes them. Taking a connection costs as much
 * as a small answer, and the system hands over one connection after the other. So a caller that
 * opens connections only to break them off makes all others wait.
 */
export interface NewConnections {
  /** Counts a connection that ended without an answer, or that was beyond the share of its address. */
  noteUnanswered(network: string): void;
  /** Counts a connection whose caller left while a request that had come in full waited for its turn. */
  noteLeft(network: string): void;
  /**
   * Whether to take a new connection of an address. True for every address that is within its
   * numbers of unanswered and left connections, refused webhooks, requests that were answered 401 or
   * 429, and small chunks for this minute. Any other address is slowed down: it is also bounded by its
   * number of new connections for this second, and all such addresses together by theirs for this tenth
   * of a second. An address with too many small chunks gets a fiftieth of its number, and all of those
   * together four times as many in a second.
   */
  admits(network: string): boolean;
}

/**
 * An address may leave this many times as many connections as it may have unanswered ones. On a busy
 * server, a client that stops loses all of its connections at once, and has done nothing wrong.
 */
const leftForUnanswered = 10;

const secondMs = 1_000;
const tenthMs = 100;
/**
 * In a tenth of a second, all addresses that are slowed down together get this part of what one of
 * them gets in a second. A whole second's number at once would be a burst that others wait for.
 */
const shareOfTenth = 0.4;

/**
 * Node parses up to 64 KiB of a connection in one go, even if it is cut at the first small chunk. So
 * addresses with too many small chunks get this part of the number, and all of them together four
 * times as many.
 */
const shareOfCostly = 0.02;
const costlyTogether = 4;

export const createNewConnections = (
  {
    refusals,
    denials,
    smallChunks,
  }: { readonly refusals: MinuteCounts; readonly denials: MinuteCounts; readonly smallChunks: MinuteCounts },
  {
    telemetry,
    maxUnansweredPerMinute,
    maxNewConnectionsPerSecond: mostPerSecond,
  }: Pick<HttpSettings, "telemetry" | "maxUnansweredPerMinute" | "maxNewConnectionsPerSecond">,
): NewConnections => {
  const unanswered = createMinuteCounts(maxUnansweredPerMinute, () => undefined);
  const left = createMinuteCounts(leftForUnanswered * maxUnansweredPerMinute, () => undefined);
  const closed = createMinuteCounts(0, (address, connections) =>
    telemetry.log("warn", "connections closed at once", { address, connections }),
  );
  /** New connections of each address in this second; only of addresses that are slowed down. */
  const ofSecond = new Map<string, number>();
  let secondEndsMs = 0;
  /** New connections in this second, of all addresses with too many small chunks. */
  let costlyOfSecond = 0;
  const mostCostly = Math.ceil(mostPerSecond * shareOfCostly);
  /** New connections in this tenth of a second, of all other addresses that are slowed down. */
  let ofTenth = 0;
  let tenthEndsMs = 0;
  return {
    noteUnanswered: (network) => void unanswered.note(network),
    noteLeft: (network) => void left.note(network),
    admits: (network) => {
      const isCostly = smallChunks.areManyOfItself(network);
      const isWasteful = [unanswered, left, refusals, denials].some((counts) => counts.areManyOfItself(network));
      if (!isCostly && !isWasteful) return true;
      const nowMs = performance.now();
      if (nowMs >= secondEndsMs) {
        ofSecond.clear();
        costlyOfSecond = 0;
        secondEndsMs = nowMs + secondMs;
      }
      if (nowMs >= tenthEndsMs) {
        ofTenth = 0;
        tenthEndsMs = nowMs + tenthMs;
      }
      const taken = ofSecond.get(network) ?? 0;
      const isBeyond = isCostly
        ? taken >= mostCostly || costlyOfSecond >= costlyTogether * mostCostly
        : taken >= mostPerSecond || ofTenth >= Math.ceil(mostPerSecond * shareOfTenth);
      if (isBeyond) {
        closed.note(network);
        return false;
      }
      ofSecond.set(network, taken + 1);
      if (isCostly) costlyOfSecond += 1;
      else ofTenth += 1;
      return true;
    },
  };
};
