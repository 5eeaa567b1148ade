import type { AuditChain, NewAuditSeal } from "../ports/audit-chain.ts";
import type { AuditSeal, StoredAuditEntry } from "../ports/audit-log.ts";
import type { Journal } from "./journal.ts";

/** A seal, and when it was made. */
interface MemorySeal extends NewAuditSeal {
  readonly madeAt: number;
}

/** What the log and its chain share. */
export interface AuditTables {
  readonly entries: Map<number, StoredAuditEntry>;
  /** By place. */
  readonly seals: Map<number, MemorySeal>;
  /** By the id of the entry. */
  readonly sealOf: Map<number, AuditSeal>;
  readonly anchor: Map<"anchor", AuditSeal>;
}

export const auditTables = (): AuditTables => ({
  entries: new Map(),
  seals: new Map(),
  sealOf: new Map(),
  anchor: new Map(),
});

export const memoryAuditChain = (tables: AuditTables, journal: Journal): AuditChain => {
  const { entries, seals, sealOf, anchor } = tables;
  const byPlace = (): readonly MemorySeal[] => [...seals.values()].toSorted((left, right) => left.place - right.place);
  const bare = ({ place, entryId, digest }: MemorySeal): NewAuditSeal => ({ place, entryId, digest });
  return {
    unsealed: async ({ after, upTo = Number.POSITIVE_INFINITY, limit }) =>
      [...entries.values()]
        .filter(({ id }) => id > after && id <= upTo && !sealOf.has(id))
        .toSorted((left, right) => left.id - right.id)
        .slice(0, limit),
    last: async (madeBefore = Number.POSITIVE_INFINITY) => {
      const found = byPlace().findLast(({ madeAt }) => madeAt < madeBefore);
      return found === undefined ? undefined : bare(found);
    },
    append: async (made, now) => {
      if (made.some(({ place, entryId }) => seals.has(place) || sealOf.has(entryId))) return false;
      for (const seal of made) {
        journal.set(seals, seal.place, { ...seal, madeAt: now });
        journal.set(sealOf, seal.entryId, { place: seal.place, digest: seal.digest });
      }
      return true;
    },
    list: async ({ after, limit }) =>
      byPlace()
        .filter(({ place }) => place > after)
        .slice(0, limit)
        .map((seal) => {
          const entry = entries.get(seal.entryId);
          const { place, digest } = seal;
          return entry === undefined ? bare(seal) : { ...bare(seal), entry: { ...entry, seal: { place, digest } } };
        }),
    anchor: async () => anchor.get("anchor"),
    prune: async (last) => {
      const pruned = byPlace()
        .filter(({ place }) => place <= last.place)
        .slice(0, 1000);
      for (const { place, entryId } of pruned) {
        journal.delete(entries, entryId);
        journal.delete(sealOf, entryId);
        journal.delete(seals, place);
      }
      journal.set(anchor, "anchor", last);
      return pruned.length;
    },
  };
};
