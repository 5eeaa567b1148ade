import { AppError, type ForeignJwk, type Ports } from "@postern/core";
import { type KeyReading, readPublishedKeys } from "./published-keys.ts";

const minuteMs = 60_000;
/** Older keys are read again while the known ones are used. A key that was withdrawn ends then. */
const freshMs = 10 * minuteMs;
/** Keys older than that are not used before it was tried to read them again. */
const usedUnreadMs = 60 * minuteMs;
/** While the issuer cannot be reached, known keys are used for so long. */
const usedAloneMs = 24 * 60 * minuteMs;
/** The issuer is asked once in this time at most, whatever strangers send. */
const askEveryMs = minuteMs;
/** The same, as long as no keys are known at all. */
const askFirstEveryMs = 5_000;

/** The keys of an outside issuer, as one process knows them. */
export interface IssuerKeys {
  /**
   * The keys of this name. Without a name, the only key of the issuer. None if the issuer has none.
   * @throws AppError `unavailable` while no keys could be read.
   */
  find(keyId: string | undefined): Promise<readonly ForeignJwk[]>;
}

interface Read {
  readonly keys: readonly ForeignJwk[];
  /** On the monotonic clock. */
  readonly at: number;
}

/**
 * Reads the keys of an issuer when they are first needed, and keeps them. Any number of requests
 * share one look-up. A token with an unknown key has the set read again, once a minute at most, so
 * junk costs nothing and delays no token whose key is known. When the set cannot be read, the known
 * keys are used for a day.
 */
export const issuerKeys = (ports: KeyReading & Pick<Ports, "clock" | "telemetry">, issuer: string): IssuerKeys => {
  const { clock, telemetry } = ports;
  let kept: Read | undefined;
  let lastAsked = Number.NEGATIVE_INFINITY;
  let asking: Promise<void> | undefined;

  const ask = async (): Promise<void> => {
    lastAsked = clock.monotonic();
    try {
      kept = { keys: await readPublishedKeys(ports, issuer), at: lastAsked };
    } catch (thrown) {
      telemetry.log("warn", "the keys of the outside issuer could not be read", { issuer }, thrown);
    }
  };

  /** Waits for the look-up under way, or begins one unless the last one was just now. Never rejects. */
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
    if (keyId === undefined) return keys.length === 1 ? keys : [];
    return keys.filter(({ kid }) => kid === keyId);
  };

  const ageMs = (): number => (kept === undefined ? Number.POSITIVE_INFINITY : clock.monotonic() - kept.at);

  return {
    find: async (keyId) => {
      const known = named(keyId);
      if (known.length > 0 && ageMs() < usedUnreadMs) {
        if (ageMs() >= freshMs) void refresh();
        return known;
      }
      await refresh();
      if (ageMs() < usedAloneMs) return named(keyId);
      throw new AppError("unavailable", {
        detail: "The keys of the outside issuer cannot be read at the moment, so its tokens cannot be checked.",
        headers: { "retry-after": String(askFirstEveryMs / 1000) },
      });
    },
  };
};
