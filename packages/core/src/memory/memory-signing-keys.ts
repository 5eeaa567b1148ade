import { AppError } from "../errors/index.ts";
import type { SigningKeyStore, StoredSigningKey } from "../ports/signing-key-store.ts";
import type { Journal } from "./journal.ts";

/** Signing keys by `kid`. */
export type SigningKeyTable = Map<string, StoredSigningKey>;

const byAge = (left: StoredSigningKey, right: StoredSigningKey): number =>
  left.createdAt - right.createdAt || (left.kid < right.kid ? -1 : 1);

export const memorySigningKeys = (keys: SigningKeyTable, journal: Journal): SigningKeyStore => {
  const list = async () => [...keys.values()].toSorted(byAge).slice(0, 100);
  return {
    list,
    // Transactions of this storage run one at a time.
    hold: list,
    save: async (key) => {
      const rival = [...keys.values()].find(({ kid, state }) => state === key.state && kid !== key.kid);
      if (key.state !== "retired" && rival !== undefined) {
        throw new AppError("state_conflict", { detail: `Another signing key is ${key.state} already.` });
      }
      journal.set(keys, key.kid, { ...key });
    },
    removeEnded: async (moment) => {
      const ended = [...keys.values()].filter(({ endsAt }) => endsAt !== undefined && endsAt < moment);
      for (const { kid } of ended) journal.delete(keys, kid);
      return ended.length;
    },
  };
};
