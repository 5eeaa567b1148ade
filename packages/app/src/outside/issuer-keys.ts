import { AppError, type Ports } from "@postern/core";
import type { ForeignJwk } from "@postern/core/ports";
import { type NamedIssuer, settingName } from "./outside-issuer.ts";
import { type KeyReading, readPublishedKeys } from "./published-keys.ts";

const minuteMs = 60_000;
/**
 * Keys older than this are read again in the background, and a withdrawn key then ends. Meanwhile
 * the known keys are used.
 */
const freshMs = 10 * minuteMs;
/** Keys older than this are used only after an attempt to read them again. */
const usedUnreadMs = 60 * minuteMs;
/** How long known keys are used while the issuer cannot be reached. */
const usedAloneMs = 24 * 60 * minuteMs;
/** Shortest time between two look-ups, so that junk costs nothing. */
const askEveryMs = minuteMs;
/** The same, as long as no keys are known at all. */
const askFirstEveryMs = 5_000;
/**
 * How many requests wait for a look-up. Each holds one of those that are answered at once, so a slow
 * issuer must not occupy all of them.
 */
const mostWaiting = 50;

/** The keys of an outside issuer, as one process knows them. */
export interface IssuerKeys {
  /**
   * The keys of this name, or all keys for a token that names none. None if the issuer has none.
   * `network` is where the request comes from.
   * @throws AppError `unavailable` while no keys could be read.
   */
  find(keyId: string | undefined, network: string): Promise<readonly ForeignJwk[]>;
  /**
   * All keys after the set was read again, for a token that names none and that none of the known
   * keys signed. None if the set was read within the last minute. Never rejects.
   */
  renewed(network: string): Promise<readonly ForeignJwk[]>;
}

interface Read {
  readonly keys: readonly ForeignJwk[];
  /** On the monotonic clock. */
  readonly at: number;
}

/**
 * Lets a bounded number of requests wait. If more come, the last request of the network with the
 * most requests waiting ends its wait early.
 */
const createFairWaits = () => {
  /** For each network, the functions that end the waits of its requests. */
  const waiting = new Map<string, Set<() => void>>();
  let waitingInAll = 0;

  /**
   * Ends the wait of the last request of the network with the most requests waiting, if it has more
   * of them than this network would have.
   */
  const endLastWait = (own: number): boolean => {
    let largest: Set<() => void> = new Set();
    for (const leaves of waiting.values()) if (leaves.size > largest.size) largest = leaves;
    const last = [...largest].at(-1);
    if (last === undefined || largest.size <= own + 1) return false;
    largest.delete(last);
    waitingInAll -= 1;
    last();
    return true;
  };

  /** Waits until `work` has ended, or until a network with fewer requests needs the place. */
  return async (network: string, work: () => Promise<void>): Promise<void> => {
    const own = waiting.get(network) ?? new Set();
    if (waitingInAll >= mostWaiting && !endLastWait(own.size)) return;
    let leave = (): void => undefined;
    const displaced = new Promise<void>((resolve) => {
      leave = resolve;
    });
    waiting.set(network, own.add(leave));
    waitingInAll += 1;
    await Promise.race([work(), displaced]);
    if (!own.delete(leave)) return;
    waitingInAll -= 1;
    if (own.size === 0) waiting.delete(network);
  };
};

/**
 * Reads the keys of an issuer when they are first needed, and keeps them. Any number of requests
 * share one look-up. A token with an unknown key has the set read again, once a minute at most, so
 * junk costs nothing and delays no token whose key is known. Only a few requests wait for that. If
 * more come, the last request of the network with the most requests waiting is answered at once
 * from the known keys. If the set cannot be read, the known keys are used for a day.
 */
export const issuerKeys = (
  ports: KeyReading & Pick<Ports, "clock" | "telemetry">,
  outside: Pick<NamedIssuer, "issuer" | "internalUrl" | "nameOf">,
): IssuerKeys => {
  const { clock, telemetry } = ports;
  const { issuer } = outside;
  let kept: Read | undefined;
  let lastAsked = Number.NEGATIVE_INFINITY;
  let asking: Promise<void> | undefined;
  const waitFairly = createFairWaits();

  const ask = async (): Promise<void> => {
    lastAsked = clock.monotonic();
    try {
      kept = { keys: await readPublishedKeys(ports, outside), at: lastAsked };
    } catch (thrown) {
      telemetry.log("warn", "the keys of the outside issuer could not be read", { issuer }, thrown);
    }
  };

  /**
   * Waits for the look-up that is running, or begins one unless the last one has just ended. It
   * never rejects.
   */
  const refresh = async (): Promise<void> => {
    const isTooSoon = clock.monotonic() - lastAsked < (kept === undefined ? askFirstEveryMs : askEveryMs);
    if (asking === undefined && isTooSoon) return;
    asking ??= ask().finally(() => {
      asking = undefined;
    });
    await asking;
  };

  const named = (keyId: string | undefined): readonly ForeignJwk[] => {
    const keys = kept?.keys ?? [];
    return keyId === undefined ? keys : keys.filter(({ kid }) => kid === keyId);
  };

  const ageMs = (): number => (kept === undefined ? Number.POSITIVE_INFINITY : clock.monotonic() - kept.at);

  return {
    renewed: async (network) => {
      const before = kept;
      await waitFairly(network, refresh);
      return kept === before ? [] : named(undefined);
    },
    find: async (keyId, network) => {
      const known = named(keyId);
      if (known.length > 0 && ageMs() < usedUnreadMs) {
        if (ageMs() >= freshMs) void refresh();
        return known;
      }
      await waitFairly(network, refresh);
      if (ageMs() < usedAloneMs) return named(keyId);
      throw new AppError("unavailable", {
        detail: `The keys of the outside issuer cannot be read at the moment, so its tokens cannot be checked. If this server reaches the issuer by another address, set ${settingName(outside, "internalUrl")}; postern doctor says what fails.`,
        headers: { "retry-after": String(Math.ceil(askFirstEveryMs / 1000)) },
      });
    },
  };
};
